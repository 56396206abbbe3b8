/** Parses `troupe agents …`, and the options that add agent definitions. */
import { messageOf, ok, type Result, sentence } from '../../../../shared/kernel/result.ts'
import {
  type OptionKinds,
  type ReadOptions,
  readOptions,
  usage,
} from '../../../platform/command-line/read-options.ts'

/** Definitions on the command line. */
export interface GivenAgents {
  /** `{"name": {"description": …, "prompt": …}}` */
  readonly json: string | null
  /** Paths as given. */
  readonly files: readonly string[]
}

/** The definitions to use: those of a folder, and those on the command line. */
interface AgentsTarget {
  readonly cwd: string | null
  readonly trust: boolean
  readonly agents: GivenAgents
}

export interface ListOptions extends AgentsTarget {
  readonly verb: 'agents-list'
  /** Includes shadowed and broken definitions. */
  readonly all: boolean
  readonly json: boolean
}

export interface LintOptions extends AgentsTarget {
  readonly verb: 'agents-lint'
  /** Empty: all definitions for the folder. */
  readonly files: readonly string[]
  readonly fix: boolean
  readonly json: boolean
}

export interface ExplainOptions extends AgentsTarget {
  readonly verb: 'agents-explain'
  readonly name: string
  readonly background: boolean
  /** 0: as a main agent; null: the agent’s normal role. */
  readonly depth: number | null
  readonly json: boolean
}

export interface ApproveOptions extends Omit<AgentsTarget, 'agents'> {
  readonly verb: 'agents-approve'
  readonly name: string
  readonly json: boolean
}

export interface ReadFilesOptions {
  readonly verb: 'agents-read'
  /** Files, folders, and `-` for standard input. */
  readonly files: readonly string[]
  /** The file name for standard input. */
  readonly stem: string | null
  readonly json: boolean
}

export type AgentsArguments = ListOptions | LintOptions | ExplainOptions | ApproveOptions | ReadFilesOptions

/** Options shared by all commands that use definitions. */
export const GIVEN_AGENTS = { agents: 'text', 'agent-file': 'texts' } as const satisfies OptionKinds
const TARGET = { cwd: 'text', trust: 'flag', json: 'flag', ...GIVEN_AGENTS } as const

/** The options of each command. */
export const AGENTS_OPTIONS = {
  list: { ...TARGET, all: 'flag' },
  lint: { ...TARGET, fix: 'flag' },
  explain: { ...TARGET, background: 'flag', depth: 'text' },
  approve: { cwd: 'text', trust: 'flag', json: 'flag' },
  read: { stem: 'text', json: 'flag' },
} as const satisfies Record<string, OptionKinds>

export function parseAgents([action, ...args]: readonly string[]): Result<AgentsArguments> {
  switch (action) {
    case 'list':
      return parseList(args)
    case 'lint':
      return parseLint(args)
    case 'explain':
      return parseExplain(args)
    case 'approve':
      return parseApprove(args)
    case 'read':
      return parseRead(args)
    default:
      return usage(
        `Use troupe agents list, lint, explain, approve or read${action === undefined ? '' : `, not "${action}"`}.`,
      )
  }
}

function parseList(args: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(args, AGENTS_OPTIONS.list)
  if (!read.ok) return read
  const target = targetOf(read.value)
  if (!target.ok) return target
  const { positionals, flag } = read.value
  if (positionals.length > 0)
    return usage(
      `Unexpected argument "${positionals[0]}": troupe agents list takes no names. For one agent: troupe agents explain ${positionals[0]}`,
    )
  return ok({ verb: 'agents-list', ...target.value, all: flag('all'), json: flag('json') })
}

function parseLint(args: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(args, AGENTS_OPTIONS.lint)
  if (!read.ok) return read
  const target = targetOf(read.value)
  if (!target.ok) return target
  const { positionals: files, flag } = read.value
  if (files.includes('-'))
    return usage('troupe agents lint can’t read standard input. Use troupe agents read - instead.')
  return ok({ verb: 'agents-lint', files, ...target.value, fix: flag('fix'), json: flag('json') })
}

function parseExplain(args: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(args, AGENTS_OPTIONS.explain)
  if (!read.ok) return read
  const target = targetOf(read.value)
  if (!target.ok) return target
  const { positionals, text, flag } = read.value
  const [name, more] = positionals
  if (name === undefined || more !== undefined)
    return usage('Give one agent: troupe agents explain NAME. Quote a name with spaces.')
  const depth = text('depth')
  if (depth !== null && !/^\d$/.test(depth))
    return usage(`--depth must be a number from 0 (a main agent) to 9, not "${depth}".`)
  return ok({
    verb: 'agents-explain',
    name,
    ...target.value,
    background: flag('background'),
    depth: depth === null ? null : Number(depth),
    json: flag('json'),
  })
}

function parseApprove(args: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(args, AGENTS_OPTIONS.approve)
  if (!read.ok) return read
  const { positionals, text, flag } = read.value
  const [name, more] = positionals
  if (name === undefined || more !== undefined)
    return usage('Give one agent: troupe agents approve NAME. Quote a name with spaces.')
  return ok({ verb: 'agents-approve', name, cwd: text('cwd'), trust: flag('trust'), json: flag('json') })
}

function parseRead(args: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(args, AGENTS_OPTIONS.read)
  if (!read.ok) return read
  const { positionals: files, text, flag } = read.value
  if (files.length === 0)
    return usage('Give files: troupe agents read FILE…, a folder, or - for standard input.')
  const fromInput = files.filter((file) => file === '-').length
  if (fromInput > 1) return usage('Standard input (-) can be read only once.')
  if (fromInput === 0 && text('stem') !== null)
    return usage('--stem names standard input. Give - as a file, too.')
  return ok({ verb: 'agents-read', files, stem: text('stem'), json: flag('json') })
}

function targetOf(options: ReadOptions): Result<AgentsTarget> {
  const agents = givenAgents(options)
  if (!agents.ok) return agents
  return ok({ cwd: options.text('cwd'), trust: options.flag('trust'), agents: agents.value })
}

/** `--agents` and `--agent-file`. Only the JSON syntax is checked here; the definitions are checked when they are read. */
export function givenAgents({ text, texts }: ReadOptions): Result<GivenAgents> {
  const json = text('agents')
  const wrong = json === null ? null : jsonProblem(json)
  if (wrong !== null)
    return usage(
      `--agents must be JSON such as {"reviewer": {"description": "…", "prompt": "…"}}. ${wrong} For a file use --agent-file.`,
    )
  return ok({ json, files: texts('agent-file') })
}

function jsonProblem(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? null : 'It is not an object.'
  } catch (thrown) {
    return sentence(messageOf(thrown))
  }
}
