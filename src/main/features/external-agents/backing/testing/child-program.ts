/** A program with an external agent, which a test kills: starts it, sends the first messages, and waits. */
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import { connect } from '../agent-connection.ts'
import { startAgentProcess } from '../agent-process.ts'
import { openSession } from '../open-session.ts'

const [command = '', script = '', folder = '', pidFile = ''] = process.argv.slice(2)
const agent = startAgentProcess({
  command,
  args: [script, 'hangs'],
  cwd: folder,
  environment: { PATH: process.env['PATH'] ?? '', PID_FILE: pidFile },
})
const connected = await connect(agent, 'example', {
  clock: createSystemClock(),
  limit: 60_000,
  signal: new AbortController().signal,
})
if (!connected.ok) throw new Error(connected.failure.message)
const wait = { clock: createSystemClock(), limit: 60_000, signal: new AbortController().signal }
const opened = await openSession(
  connected.value,
  { sessionId: null, cost: 0 },
  { place: { cwd: folder, mcpServers: [] }, wait },
)
if (!opened.ok) throw new Error(opened.failure.message)
const no = async () => Promise.reject(new Error('Not here.'))
opened.value.session.serve({
  update: () => console.log('works'),
  permission: no,
  readFile: no,
  writeFile: no,
  elicit: no,
  terminals: () => {
    throw new Error('Not here.')
  },
})
void opened.value.session.prompt([{ type: 'text', text: 'Go' }])
