/** The words behind `troupe agents`, and the options by which a command line brings agents of its own. */
import { messageOf, ok, type Result } from '../../shared/result.ts'
import { type OptionKinds, type ReadOptions, readOptions, usage } from './read-options.ts'

/** Definitions that are given with the command. */
export interface GivenAgents {
  /** `{"name": {"description": …, "prompt": …}}` */
  readonly json: string | null
  /** Paths as they were given. */
  readonly files: readonly string[]
}

/** Which definitions hold: those of this folder, and those that were given. */
export interface AgentsPlace {
  readonly cwd: string | null
  readonly trust: boolean
  readonly agents: GivenAgents
}

export interface ListOptions extends AgentsPlace {
  readonly verb: 'agents-list'
  /** Also those that are overridden or broken. */
  readonly all: boolean
  readonly json: boolean
}

export interface LintOptions extends AgentsPlace {
  readonly verb: 'agents-lint'
  /** None: all that hold here. */
  readonly files: readonly string[]
  readonly fix: boolean
  readonly json: boolean
}

export interface ExplainOptions extends AgentsPlace {
  readonly verb: 'agents-explain'
  readonly name: string
  readonly background: boolean
  /** 0: as a main agent; null: as it usually is. */
  readonly depth: number | null
  readonly json: boolean
}

export interface ReadFilesOptions {
  readonly verb: 'agents-read'
  /** Files, folders, and `-` for standard input. */
  readonly files: readonly string[]
  /** Stands for the name of the file that standard input has not. */
  readonly stem: string | null
  readonly json: boolean
}

export type AgentsArguments = ListOptions | LintOptions | ExplainOptions | ReadFilesOptions

/** Beside those of the command itself. */
export const GIVEN_AGENTS = { agents: 'text', 'agent-file': 'texts' } as const satisfies OptionKinds
const PLACE = { cwd: 'text', trust: 'flag', json: 'flag', ...GIVEN_AGENTS } as const

export function parseAgents([what, ...words]: readonly string[]): Result<AgentsArguments> {
  switch (what) {
    case 'list':
      return parseList(words)
    case 'lint':
      return parseLint(words)
    case 'explain':
      return parseExplain(words)
    case 'read':
      return parseRead(words)
    default:
      return usage(
        `troupe agents knows list, lint, explain and read${what === undefined ? '' : `, not "${what}"`}.`,
      )
  }
}

function parseList(words: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(words, { ...PLACE, all: 'flag' })
  if (!read.ok) return read
  const place = placeOf(read.value)
  if (!place.ok) return place
  const { positionals, flag } = read.value
  if (positionals.length > 0)
    return usage(
      `What is "${positionals[0]}"? troupe agents list takes no names; troupe agents explain ${positionals[0]} tells of one.`,
    )
  return ok({ verb: 'agents-list', ...place.value, all: flag('all'), json: flag('json') })
}

function parseLint(words: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(words, { ...PLACE, fix: 'flag' })
  if (!read.ok) return read
  const place = placeOf(read.value)
  if (!place.ok) return place
  const { positionals: files, flag } = read.value
  if (files.includes('-'))
    return usage('troupe agents lint reads files. For standard input there is troupe agents read -.')
  return ok({ verb: 'agents-lint', files, ...place.value, fix: flag('fix'), json: flag('json') })
}

function parseExplain(words: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(words, { ...PLACE, background: 'flag', depth: 'text' })
  if (!read.ok) return read
  const place = placeOf(read.value)
  if (!place.ok) return place
  const { positionals, text, flag } = read.value
  const [name, more] = positionals
  if (name === undefined || more !== undefined)
    return usage('Say which one agent: troupe agents explain NAME. A name with blanks goes in quotes.')
  const depth = text('depth')
  if (depth !== null && !/^\d$/.test(depth))
    return usage(`--depth wants a number from 0 (a main agent) to 9, not "${depth}".`)
  return ok({
    verb: 'agents-explain',
    name,
    ...place.value,
    background: flag('background'),
    depth: depth === null ? null : Number(depth),
    json: flag('json'),
  })
}

function parseRead(words: readonly string[]): Result<AgentsArguments> {
  const read = readOptions(words, { stem: 'text', json: 'flag' })
  if (!read.ok) return read
  const { positionals: files, text, flag } = read.value
  if (files.length === 0)
    return usage('Say which files: troupe agents read FILE…, a folder, or - for standard input.')
  const fromInput = files.filter((file) => file === '-').length
  if (fromInput > 1) return usage('Standard input (-) can be read once only.')
  if (fromInput === 0 && text('stem') !== null)
    return usage('--stem is the name of what standard input has: give - as a file.')
  return ok({ verb: 'agents-read', files, stem: text('stem'), json: flag('json') })
}

function placeOf(options: ReadOptions): Result<AgentsPlace> {
  const agents = givenAgents(options)
  if (!agents.ok) return agents
  return ok({ cwd: options.text('cwd'), trust: options.flag('trust'), agents: agents.value })
}

/** `--agents` and `--agent-file`. What is in them is for the reader to judge; here it only has to be JSON. */
export function givenAgents({ text, texts }: ReadOptions): Result<GivenAgents> {
  const json = text('agents')
  const wrong = json === null ? null : whatIsWrongWith(json)
  if (wrong !== null)
    return usage(
      `--agents wants JSON, {"reviewer": {"description": "…", "prompt": "…"}}. ${wrong} For a file there is --agent-file.`,
    )
  return ok({ json, files: texts('agent-file') })
}

function whatIsWrongWith(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? null : 'This is no object.'
  } catch (thrown) {
    return `${messageOf(thrown)}.`
  }
}
