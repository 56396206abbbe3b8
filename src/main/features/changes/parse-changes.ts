/** Parses `troupe changes …`. */
import { type ConflictChoice, conflictChoice } from '../../../shared/changes/changes.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

interface Target {
  /** A conversation's id. */
  readonly id: string
  readonly json: boolean
}

interface ListChanges extends Target {
  readonly verb: 'changes-list'
}

export interface RevertChanges extends Target {
  readonly verb: 'changes-revert'
  /** An agent's id or name. Null: all agents. */
  readonly agent: string | null
  /** A path, as the list prints it or absolute. Null: all files. */
  readonly file: string | null
  /** The number of a message in the list. Null: since the start. */
  readonly to: number | null
  readonly conflicts: ConflictChoice
  /** Does not ask. */
  readonly yes: boolean
}

export interface RedoChanges extends Target, Pick<RevertChanges, 'conflicts' | 'yes'> {
  readonly verb: 'changes-redo'
}

export type ChangesArguments = ListChanges | RevertChanges | RedoChanges

const APPLY = { conflicts: 'text', yes: 'flag', json: 'flag' } as const

/** The options of each command. */
export const CHANGES_OPTIONS = {
  list: { json: 'flag' },
  revert: { agent: 'text', file: 'text', to: 'text', ...APPLY },
  redo: APPLY,
} as const satisfies Record<string, OptionKinds>

export function parseChanges([action, ...args]: readonly string[]): Result<ChangesArguments> {
  if (action !== 'list' && action !== 'revert' && action !== 'redo')
    return usage(`Use troupe changes list, revert or redo${action === undefined ? '' : `, not "${action}"`}.`)
  const read = readOptions(args, CHANGES_OPTIONS[action])
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const [id, extra] = positionals
  if (id === undefined || extra !== undefined)
    return usage(
      `Give one conversation: troupe changes ${action} ID. See the ids with: troupe conversations list`,
    )
  const target = { id, json: flag('json') }
  if (action === 'list') return ok({ verb: 'changes-list', ...target })
  const conflicts = conflictChoice.safeParse(text('conflicts') ?? 'leave')
  if (!conflicts.success)
    return usage(`Unknown choice "${text('conflicts')}". Use one of: ${conflictChoice.options.join(', ')}.`)
  const apply = { ...target, conflicts: conflicts.data, yes: flag('yes') }
  if (action === 'redo') return ok({ verb: 'changes-redo', ...apply })
  const to = text('to')
  if (to !== null && !/^[1-9]\d{0,5}$/.test(to))
    return usage(`--to must be the number of a message, as troupe changes list prints it, not "${to}".`)
  const [agent, file] = [text('agent'), text('file')]
  if (to !== null && (agent !== null || file !== null))
    return usage(
      '--to goes back to a message with all files, so it can’t be combined with --agent or --file.',
    )
  return ok({ verb: 'changes-revert', ...apply, agent, file, to: to === null ? null : Number(to) })
}
