/** The command line's words, checked. */
import { parseArgs } from 'node:util'
import { type PermissionMode, permissionModes } from '../../shared/permission-modes.ts'
import { fail, messageOf, ok, type Result } from '../../shared/result.ts'

export interface RunOptions {
  readonly verb: 'run'
  readonly task: string
  readonly cwd: string | null
  readonly agent: string | null
  readonly model: string | null
  readonly permissionMode: PermissionMode | null
  readonly maxTurns: number | null
  readonly resume: string | null
  readonly trust: boolean
  readonly rehearsal: boolean
  readonly scenario: string | null
  readonly json: boolean
}

export type Arguments =
  | RunOptions
  | {
      readonly verb: 'agents-list'
      readonly cwd: string | null
      readonly trust: boolean
      readonly json: boolean
    }
  | { readonly verb: 'conversations-list'; readonly json: boolean }
  | { readonly verb: 'conversations-show'; readonly id: string; readonly json: boolean }
  | { readonly verb: 'help' }
  | { readonly verb: 'version' }
  /** Opening the window: not this program's to do. */
  | { readonly verb: 'window'; readonly folder: string | null }

/** Failures are `usage`, with words that say what is wrong. */
export function parseArguments(words: readonly string[]): Result<Arguments> {
  const [verb, ...rest] = words
  // Anywhere before `--`: whoever asks for help gets it.
  const end = words.indexOf('--')
  if (words.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h'))
    return ok({ verb: 'help' })
  switch (verb) {
    case undefined:
      return ok({ verb: 'window', folder: null })
    case 'help':
      return ok({ verb: 'help' })
    case '--version':
    case '-v':
      return ok({ verb: 'version' })
    case 'run':
      return parseRun(rest)
    case 'agents':
      return parseAgents(rest)
    case 'conversations':
      return parseConversations(rest)
    default:
      if (verb.startsWith('-')) return usage(`There is no option ${verb}.`)
      if (rest.length === 0 && /[/\\.]/.test(verb)) return ok({ verb: 'window', folder: verb })
      return usage(`There is no command "${verb}".`)
  }
}

function parseRun(words: readonly string[]): Result<Arguments> {
  const read = readOptions(words, {
    cwd: { type: 'string' },
    agent: { type: 'string' },
    model: { type: 'string' },
    'permission-mode': { type: 'string' },
    'max-turns': { type: 'string' },
    resume: { type: 'string' },
    trust: { type: 'boolean' },
    rehearsal: { type: 'boolean' },
    scenario: { type: 'string' },
    json: { type: 'boolean' },
  })
  if (!read.ok) return read
  const { values, positionals } = read.value
  const text = (name: string): string | null => {
    const value = values[name]
    return typeof value === 'string' ? value : null
  }
  const mode = text('permission-mode')
  const known = permissionModes.find((candidate) => candidate === mode)
  if (mode !== null && known === undefined)
    return usage(`There is no permission mode "${mode}". There are: ${permissionModes.join(', ')}.`)
  const turns = text('max-turns')
  if (turns !== null && !/^[1-9]\d{0,5}$/.test(turns))
    return usage(`--max-turns wants a whole number from 1, not "${turns}".`)
  if (values['rehearsal'] === true && text('scenario') !== null)
    return usage('--rehearsal and --scenario are two different scripts: give one of them.')
  const task = positionals.join(' ').trim()
  const own = ['cwd', 'agent', 'max-turns'].find((name) => text('resume') !== null && text(name) !== null)
  if (own !== undefined)
    return usage(`--${own} is for a new conversation; the one that --resume names has its own.`)
  if (task === '') return usage('Say what is to be done: troupe run "find out why the build fails".')
  return ok({
    verb: 'run',
    task,
    cwd: text('cwd'),
    agent: text('agent'),
    model: text('model'),
    permissionMode: known ?? null,
    maxTurns: turns === null ? null : Number(turns),
    resume: text('resume'),
    trust: values['trust'] === true,
    rehearsal: values['rehearsal'] === true,
    scenario: text('scenario'),
    json: values['json'] === true,
  })
}

function parseAgents([what, ...words]: readonly string[]): Result<Arguments> {
  if (what !== 'list')
    return usage(`troupe agents knows "list"${what === undefined ? '' : `, not "${what}"`}.`)
  const read = readOptions(words, {
    cwd: { type: 'string' },
    trust: { type: 'boolean' },
    json: { type: 'boolean' },
  })
  if (!read.ok) return read
  const { values, positionals } = read.value
  if (positionals.length > 0) return usage(`What is "${positionals[0]}"? troupe agents list takes no names.`)
  const cwd = values['cwd']
  return ok({
    verb: 'agents-list',
    cwd: typeof cwd === 'string' ? cwd : null,
    trust: values['trust'] === true,
    json: values['json'] === true,
  })
}

function parseConversations([what, ...words]: readonly string[]): Result<Arguments> {
  const read = readOptions(words, { json: { type: 'boolean' } })
  if (!read.ok) return read
  const { values, positionals } = read.value
  const json = values['json'] === true
  if (what === 'list' && positionals.length === 0) return ok({ verb: 'conversations-list', json })
  const id = positionals[0]
  if (what === 'show' && id !== undefined && positionals.length === 1)
    return ok({ verb: 'conversations-show', id, json })
  return usage('troupe conversations knows "list" and "show ID".')
}

type Options = Record<string, { readonly type: 'string' | 'boolean' }>
interface ReadOptions {
  readonly values: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

function readOptions(words: readonly string[], options: Options): Result<ReadOptions> {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      strict: true,
    })
    return ok({ values, positionals })
  } catch (thrown) {
    return usage(messageOf(thrown).split('. To specify')[0] ?? 'The options could not be read.')
  }
}

const usage = <T>(message: string): Result<T> => fail({ type: 'usage', message })
