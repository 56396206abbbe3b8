/** Parses `troupe mcp …`. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { McpAddition } from '../../../shared/mcp/mcp.ts'
import { nameProblem, readPairs } from '../../../shared/mcp/mcp-entry-text.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

interface McpTarget {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
}

interface ListServers extends McpTarget {
  readonly verb: 'mcp-list'
}

export interface ActOnServer extends McpTarget {
  readonly verb: 'mcp-test' | 'mcp-approve' | 'mcp-refuse'
  readonly name: string
}

export interface AddServer extends McpTarget {
  readonly verb: 'mcp-add'
  readonly addition: McpAddition
}

interface RemoveServer extends McpTarget {
  readonly verb: 'mcp-remove'
  readonly name: string
}

export type McpArguments = ListServers | ActOnServer | AddServer | RemoveServer

/** The options of each command. */
const MCP_OPTIONS = { cwd: 'text', trust: 'flag', json: 'flag' } as const satisfies OptionKinds

export const MCP_ADD_OPTIONS = {
  ...MCP_OPTIONS,
  place: 'text',
  env: 'texts',
  header: 'texts',
} as const satisfies OptionKinds

const ACTIONS = ['test', 'approve', 'refuse', 'remove'] as const

export function parseMcp([action, ...args]: readonly string[]): Result<McpArguments> {
  if (action === 'add') return parseAdd(args)
  const acts = ACTIONS.find((one) => one === action)
  if (action !== 'list' && acts === undefined)
    return usage(
      `Use troupe mcp list, test, approve, refuse, add or remove${action === undefined ? '' : `, not "${action}"`}.`,
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

/** `troupe mcp add NAME COMMAND [ARG…]`; options of the command need `--` in front of the command. */
function parseAdd(args: readonly string[]): Result<AddServer> {
  const read = readOptions(args, MCP_ADD_OPTIONS)
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  const [name, command, ...rest] = positionals
  if (name === undefined || command === undefined)
    return usage('Use troupe mcp add NAME URL, or troupe mcp add NAME -- COMMAND ARGUMENTS')
  const problem = nameProblem(name)
  if (problem !== null) return usage(`"${name}" can't be the name of a server. ${problem}`)
  const place = PLACES.find((one) => one === (text('place') ?? 'project'))
  if (place === undefined) return usage('--place is project, local or user.')
  const env = readPairs(texts('env').join('\n'), '=')
  if (!env.ok) return usage(`--env: ${env.failure.message}`)
  const headers = readPairs(texts('header').join('\n'), ':')
  if (!headers.ok) return usage(`--header: ${headers.failure.message}`)
  const isAddress = /^[a-z]+:\/\//i.test(command)
  if (isAddress && !(/^https?:\/\//i.test(command) && URL.canParse(command)))
    return usage(`${command} is not an http address.`)
  if (isAddress ? texts('env').length > 0 || rest.length > 0 : texts('header').length > 0)
    return usage(
      isAddress
        ? 'An address takes no arguments and no --env.'
        : '--header belongs to an address, not to a command.',
    )
  const definition = isAddress
    ? { type: 'http', url: command, ...(texts('header').length > 0 && { headers: headers.value }) }
    : { command, args: rest, ...(texts('env').length > 0 && { env: env.value }) }
  return ok({
    verb: 'mcp-add',
    cwd: text('cwd'),
    trust: flag('trust'),
    json: flag('json'),
    addition: { name, place, definition, replace: false, before: null },
  })
}

const PLACES = ['project', 'local', 'user'] as const
