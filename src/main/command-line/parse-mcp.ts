/** Parses `troupe mcp …`. */
import { ok, type Result } from '../../shared/result.ts'
import { type OptionKinds, readOptions, usage } from './read-options.ts'

interface McpTarget {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
}

export interface ListServers extends McpTarget {
  readonly verb: 'mcp-list'
}

export interface ActOnServer extends McpTarget {
  readonly verb: 'mcp-test' | 'mcp-approve' | 'mcp-refuse'
  readonly name: string
}

export type McpArguments = ListServers | ActOnServer

/** The options of each command. */
export const MCP_OPTIONS = { cwd: 'text', trust: 'flag', json: 'flag' } as const satisfies OptionKinds

const ACTIONS = ['test', 'approve', 'refuse'] as const

export function parseMcp([action, ...args]: readonly string[]): Result<McpArguments> {
  const acts = ACTIONS.find((one) => one === action)
  if (action !== 'list' && acts === undefined)
    return usage(
      `Use troupe mcp list, test, approve or refuse${action === undefined ? '' : `, not "${action}"`}.`,
    )
  const read = readOptions(args, MCP_OPTIONS)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const target = { cwd: text('cwd'), trust: flag('trust'), json: flag('json') }
  const [name, extra] = positionals
  if (acts === undefined)
    return name === undefined
      ? ok({ verb: 'mcp-list', ...target })
      : usage(`Unexpected argument "${name}": troupe mcp list takes none.`)
  if (name === undefined || extra !== undefined) return usage(`Give one server: troupe mcp ${acts} NAME`)
  return ok({ verb: `mcp-${acts}`, ...target, name })
}
