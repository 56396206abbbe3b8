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
  readonly method: (typeof methods)[number] | 'cherry-pick'
  /** Of `cherry-pick`: these, in the order in which they are applied. */
  readonly commits: readonly string[]
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
  const read = readOptions(words, {
    ...PLACE,
    method: 'text',
    into: 'text',
    message: 'text',
    'cherry-pick': 'texts',
  })
  if (!read.ok) return read
  const { text, texts, positionals } = read.value
  const [name, extra] = positionals
  const commits = texts('cherry-pick')
  if (name === undefined) return usage(oneOf('merge'))
  if (extra !== undefined && commits.length > 0)
    return usage(`What is "${extra}"? Say --cherry-pick before each commit.`)
  if (extra !== undefined) return usage(oneOf('merge'))
  const chosen = text('method')
  if (chosen !== null && commits.length > 0)
    return usage('--cherry-pick is a method of its own: leave out --method.')
  const given = chosen ?? 'merge'
  const merging = methods.find((candidate) => candidate === given)
  if (merging === undefined)
    return usage(
      `There is no method "${given}". There are: ${methods.join(', ')}. Some of its commits alone: --cherry-pick COMMIT.`,
    )
  const method = commits.length > 0 ? 'cherry-pick' : merging
  const message = text('message')
  if (message !== null && (method === 'rebase' || method === 'cherry-pick'))
    return usage(`--message is for merge and squash: after a ${method} the commits keep their own.`)
  const odd = commits.find((commit) => !/^[0-9a-f]{7,64}$/i.test(commit))
  if (odd !== undefined)
    return usage(`"${odd}" is no commit. Give at least 7 letters of its name, as git log shows it.`)
  if (message?.trim() === '') return usage('--message is empty. Say what the commit is for, or leave it out.')
  return ok({
    verb: 'worktrees-merge',
    ...placeOf(read.value),
    name,
    method,
    commits,
    into: text('into'),
    message,
  })
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
