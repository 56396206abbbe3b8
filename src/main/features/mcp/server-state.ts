/** The state of one configured server, as people see it and as agents hear of it. */
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import type { ToolServer } from '../../runtime/ports/ports.ts'
import { type McpConnection, SIGN_IN_FIRST } from './connection.ts'
import { type McpEntry, targetOf, transportOf } from './server-entry.ts'

/** What is known of one configured server. */
export interface KnownServer {
  readonly entry: McpEntry
  readonly digest: string
  status: McpServerState['status'] | null
  connection: McpConnection | null
  /** By the server's name of a tool: why no agent can have it. */
  unusable: ReadonlyMap<string, string>
}

/** As people see it. */
export function serverStateOf({ entry, status, connection, unusable }: KnownServer): McpServerState {
  const { name, source, file, line, definition } = entry
  const live = connection?.state()
  return {
    name,
    source,
    file,
    line,
    definition,
    transport: live?.isSse ? 'sse' : (transportOf(definition) ?? 'stdio'),
    target: targetOf(definition),
    status: status ?? live?.status ?? { kind: 'idle' },
    pid: live?.pid ?? null,
    version: live?.version ?? null,
    protocol: live?.protocol ?? null,
    tools: (live?.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      onlyReads: tool.annotations?.readOnlyHint === true,
      ...withReason(unusable.get(tool.name)),
    })),
    prompts: live?.prompts ?? [],
    resources: live?.resources ?? [],
    log: live?.log ?? [],
  }
}

const withReason = (unusable: string | undefined) => (unusable === undefined ? {} : { unusable })

/** As agents hear of it; empty: they don't. `names`: the names of servers in the names of tools. */
export function heardOf(known: KnownServer, names: ReadonlyMap<string, string>): readonly ToolServer[] {
  const { name, source } = known.entry
  const state = heardState(known)
  if (state === null) return []
  return [{ name, prefix: `mcp__${names.get(name) ?? name}__`, onlyWhereNamed: source === 'agent', state }]
}

function heardState(known: KnownServer): ToolServer['state'] | null {
  const { status } = serverStateOf(known)
  switch (status.kind) {
    case 'starting':
      return { kind: 'starting' }
    case 'connected':
      return { kind: 'connected', instructions: known.connection?.instructions ?? null }
    case 'failed':
      return { kind: 'failed', reason: status.message, retries: status.retryAt !== null }
    case 'sign-in':
      return { kind: 'failed', reason: SIGN_IN_FIRST, retries: false }
    // The user turned it off, has not approved it yet, or no agent needs it.
    case 'off':
    case 'waits':
    case 'idle':
      return null
  }
}
