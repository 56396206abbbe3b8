/** The words behind `troupe worktrees`. */
import { ok, type Result } from '../../shared/result.ts'
import { readOptions, usage } from './read-options.ts'

/** Whose worktrees: those of this folder's repository. */
export interface WorktreesPlace {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
}

export interface ListWorktrees extends WorktreesPlace {
  readonly verb: 'worktrees-list'
}

export interface MergeWorktree extends WorktreesPlace {
  readonly verb: 'worktrees-merge'
  /** An id, a branch, or the beginning of one. */
  readonly name: string
  readonly method: (typeof methods)[number]
  /** Null: where it came from. */
  readonly into: string | null
  readonly message: string | null
}

export interface DiscardWorktree extends WorktreesPlace {
  readonly verb: 'worktrees-discard'
  readonly name: string
  /** The branch's name, as it was given. */
  readonly confirm: string | null
}

export interface UndoDiscard extends WorktreesPlace {
  readonly verb: 'worktrees-undo-discard'
  readonly name: string
}

export interface RemoveMergedWorktrees extends WorktreesPlace {
  readonly verb: 'worktrees-gc'
  readonly dryRun: boolean
}

export type WorktreesArguments =
  | ListWorktrees
  | MergeWorktree
  | DiscardWorktree
  | UndoDiscard
  | RemoveMergedWorktrees

const methods = ['merge', 'squash', 'rebase'] as const
const PLACE = { cwd: 'text', trust: 'flag', json: 'flag' } as const

export function parseWorktrees([what, ...words]: readonly string[]): Result<WorktreesArguments> {
  switch (what) {
    case 'list':
      return parseList(words)
    case 'merge':
      return parseMerge(words)
    case 'discard':
      return parseDiscard(words)
    case 'gc':
      return parseGc(words)
    default:
      return usage(
        `troupe worktrees knows list, merge, discard and gc${what === undefined ? '' : `, not "${what}"`}.`,
      )
  }
}

function parseList(words: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(words, PLACE)
  if (!read.ok) return read
  const [extra] = read.value.positionals
  if (extra !== undefined) return usage(`What is "${extra}"? troupe worktrees list takes no names.`)
  return ok({ verb: 'worktrees-list', ...placeOf(read.value) })
}

function parseMerge(words: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(words, { ...PLACE, method: 'text', into: 'text', message: 'text' })
  if (!read.ok) return read
  const { text, positionals } = read.value
  const [name, extra] = positionals
  if (name === undefined || extra !== undefined) return usage(oneOf('merge'))
  const given = text('method') ?? 'merge'
  const method = methods.find((candidate) => candidate === given)
  if (method === undefined) return usage(`There is no method "${given}". There are: ${methods.join(', ')}.`)
  const message = text('message')
  if (message !== null && method === 'rebase')
    return usage('--message is for merge and squash: after a rebase the commits keep their own.')
  if (message?.trim() === '') return usage('--message is empty. Say what the commit is for, or leave it out.')
  return ok({ verb: 'worktrees-merge', ...placeOf(read.value), name, method, into: text('into'), message })
}

function parseDiscard(words: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(words, { ...PLACE, confirm: 'text', undo: 'flag' })
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const [name, extra] = positionals
  if (name === undefined || extra !== undefined)
    return usage(oneOf(flag('undo') ? 'discard --undo' : 'discard'))
  const confirm = text('confirm')
  if (!flag('undo')) return ok({ verb: 'worktrees-discard', ...placeOf(read.value), name, confirm })
  if (confirm !== null) return usage('--undo brings back what was discarded: there is nothing to confirm.')
  return ok({ verb: 'worktrees-undo-discard', ...placeOf(read.value), name })
}

function parseGc(words: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(words, { ...PLACE, 'dry-run': 'flag' })
  if (!read.ok) return read
  const { flag, positionals } = read.value
  const [extra] = positionals
  if (extra !== undefined)
    return usage(
      `troupe worktrees gc takes no names: it removes all that are merged. One alone goes with troupe worktrees discard ${extra}.`,
    )
  return ok({ verb: 'worktrees-gc', ...placeOf(read.value), dryRun: flag('dry-run') })
}

const oneOf = (verb: string): string =>
  `Say which one worktree: troupe worktrees ${verb} ID. troupe worktrees list tells their ids and branches.`

const placeOf = ({
  text,
  flag,
}: {
  text(name: string): string | null
  flag(name: string): boolean
}): WorktreesPlace => ({ cwd: text('cwd'), trust: flag('trust'), json: flag('json') })
