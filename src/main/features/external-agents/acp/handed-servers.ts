/**
 * The MCP servers that an external agent gets for its session: those that the user approved, and that an agent of
 * this program in its place would have. The program starts or reaches them itself.
 */
import type { InitializeResponse, McpServer } from '@agentclientprotocol/sdk'
import type { McpServerState, McpState } from '../../../../shared/mcp/mcp.ts'
import type { Settings } from '../../../../shared/settings/settings.ts'
import { serverFor } from '../../../platform/acp/mcp-servers.ts'
import { readConfig } from '../../mcp/server-entry.ts'

export interface HandedDeps {
  /** The servers of a conversation's folder. */
  readonly state: (folder: string) => Promise<Pick<McpState, 'servers'>>
  /** For `${VAR}` in their entries. The values are only in the message to the program. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly toolsForSubagents: () => Settings['mcpToolsForSubagents']
}

export interface HandedTo {
  readonly folder: string
  readonly isSubagent: boolean
  /** The names in its definition; null: it names none. */
  readonly named: readonly string[] | null
  readonly capabilities: InitializeResponse['agentCapabilities']
}

export interface HandedServers {
  readonly servers: readonly McpServer[]
  /** Why a server was left out, as sentences for the user. */
  readonly notices: readonly string[]
}

/** Never rejects: a program works without servers too. */
export async function handedServers(to: HandedTo, deps: HandedDeps): Promise<HandedServers> {
  if (!mayHaveAny(to, deps)) return { servers: [], notices: [] }
  const state = await deps.state(to.folder).catch(() => ({ servers: [] as readonly McpServerState[] }))
  const servers: McpServer[] = []
  const notices: string[] = []
  for (const server of state.servers) {
    // What a definition describes itself belongs to the agents of that definition.
    if (!isWanted(server, to.named) || server.source === 'agent') continue
    const handed = handedOf(server, to, deps)
    if (typeof handed === 'string') notices.push(`It has no MCP server ${server.name}: ${handed}`)
    else if (handed !== null) servers.push(handed)
  }
  return { servers, notices }
}

function mayHaveAny({ isSubagent, named }: HandedTo, { toolsForSubagents }: HandedDeps): boolean {
  if (named?.length === 0) return false
  const given = isSubagent ? toolsForSubagents() : 'all'
  return given === 'all' || (given === 'listed' && named !== null)
}

const isWanted = ({ name }: McpServerState, named: readonly string[] | null): boolean =>
  named === null || named.some((one) => one.toLowerCase() === name.toLowerCase())

/** A text says why the server is left out; null: the user knows, because it is off or waits. */
function handedOf(
  { name, status, definition, transport }: McpServerState,
  { capabilities }: HandedTo,
  { variables }: HandedDeps,
): McpServer | string | null {
  if (status.kind === 'off' || status.kind === 'waits') return null
  if (status.kind === 'sign-in') return 'you have to sign in to it.'
  if (status.kind === 'failed') return `it failed. ${status.message}`
  const entry = definition as Readonly<Record<string, unknown>>
  const config = readConfig({ definition: entry }, variables)
  if (!config.ok) return config.failure.message
  if (config.value.kind === 'stdio') return serverFor(name, config.value)
  const { url, headers, client } = config.value
  if (client !== null) return 'Troupe signs in to it, and does not give its sign-in away.'
  const type = transport === 'sse' ? 'sse' : 'http'
  if (capabilities?.mcpCapabilities?.[type] !== true) return `the program does not take servers over ${type}.`
  return serverFor(name, { kind: type, url, headers })
}
