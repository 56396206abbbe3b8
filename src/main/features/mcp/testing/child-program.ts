/** A program with MCP servers, which a test kills: prints the ids of a server and its child, and waits. */
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { McpConnection } from '../connection.ts'

const [command = '', script = '', folder = ''] = process.argv.slice(2)
const connection = new McpConnection({
  name: 'one',
  config: { kind: 'stdio', command, args: [script, 'with-child'], env: {}, timeoutMs: 60_000 },
  folder,
  environment: { PATH: process.env['PATH'] ?? '' },
  clock: createSystemClock(),
  version: '1',
  signIn: null,
  mayAskModel: () => false,
  onChange: () => {},
})
await connection.start()
const { content } = await connection.callTool(
  { tool: 'pids', name: 'mcp__one__pids' },
  {},
  {
    signal: new AbortController().signal,
    onOutput: () => {},
    askModel: async () => Promise.reject(new Error('No model.')),
    askForm: async () => ({ action: 'cancel', reason: 'unattended' }),
  },
)
console.log(String(content))
setInterval(() => {}, 60_000)
