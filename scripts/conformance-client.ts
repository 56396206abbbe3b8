/**
 * The client under test of `npm run conformance`: connects to the server at the address given, with the program's own
 * connection, and does what the scenario asks for.
 */

import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { McpConnection } from '../src/main/features/mcp/connection.ts'
import { type OAuthClient, OAuthSession } from '../src/main/features/mcp/oauth-session.ts'
import { createTokenFile } from '../src/main/features/mcp/token-file.ts'
import { createSystemClock } from '../src/main/platform/system/machine-time.ts'
import type { FormAnswer } from '../src/shared/forms/form.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context: Record<string, unknown> = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}')
const folder = mkdtempSync(join(tmpdir(), 'troupe-conformance-'))

const signIn = new OAuthSession({
  newKey: randomUUID,
  url,
  tokens: createTokenFile(join(folder, 'tokens.json')),
  // The suite's server redirects at once, as a browser would follow.
  openBrowser: async (address) => {
    await fetch(address)
  },
  client: clientOf(context),
  metadataUrl: 'https://conformance-test.local/client-metadata.json',
})
const connection = new McpConnection({
  name: 'suite',
  config: { kind: 'http', wire: 'http', url, headers: {}, client: null, timeoutMs: 20_000 },
  folder,
  environment: {},
  clock: createSystemClock(),
  version: '1.0.0',
  signIn,
  mayAskModel: () => false,
  onChange: () => {},
})
const call = {
  signal: AbortSignal.timeout(25_000),
  onOutput: () => {},
  askModel: async () => Promise.reject(new Error('No model.')),
  // An empty answer: the schema's defaults apply.
  askForm: async (): Promise<FormAnswer> => ({ action: 'accept', values: {} }),
}

await signIn.begin()
await connection.start()
const { status, tools, log } = connection.state()
if (status.kind !== 'connected') {
  console.error(scenario, JSON.stringify(status), JSON.stringify(log))
  process.exit(1)
}
for (const tool of tools) {
  const outcome = await connection.callTool({ tool: tool.name, name: tool.name }, inputFor(tool), call)
  if (outcome.isError) console.error(tool.name, JSON.stringify(outcome.content))
}
await connection.close()
signIn.end()
process.exit(0)

/** The client that the suite registered, which signs in alone where the scenario is about that. */
function clientOf(given: Readonly<Record<string, unknown>>): OAuthClient | null {
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : null)
  const [id, pem] = [text('client_id'), text('private_key_pem')]
  if (id === null) return null
  const key = pem === null ? null : { pem, algorithm: text('signing_algorithm') ?? 'ES256' }
  return {
    id,
    secret: text('client_secret'),
    ...(scenario.includes('client-credentials') ? { alone: { key } } : {}),
  }
}

/** An input for a tool: what the suite gives, else a value for each required property. */
function inputFor({ name, inputSchema }: (typeof tools)[number]): Record<string, unknown> {
  const given = (
    context['toolCalls'] as { name: string; arguments: Record<string, unknown> }[] | undefined
  )?.find((one) => one.name === name)
  if (given) return given.arguments
  // The suite compares the schema of its other tool with what arrived here.
  const other = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')
  if (name === 'json_schema_echo' && other) return { schema: other.inputSchema }
  const properties = (inputSchema.properties ?? {}) as Record<string, { type?: string }>
  const values: Record<string, unknown> = {
    string: 'text',
    number: 2,
    integer: 3,
    boolean: true,
    array: [],
    object: {},
  }
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => inputSchema.required?.includes(key) ?? false)
      .map(([key, { type = 'string' }]) => [key, values[type]]),
  )
}
