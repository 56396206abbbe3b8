/** Parses `troupe worktrees …`. */
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../../platform/command-line/read-options.ts'

/** The folder whose repository's worktrees are meant. */
interface WorktreesTarget {
  readonly cwd: string | null
  readonly trust: boolean
  readonly json: boolean
}

interface ListWorktrees extends WorktreesTarget {
  readonly verb: 'worktrees-list'
}

export interface MergeWorktree extends WorktreesTarget {
  readonly verb: 'worktrees-merge'
  /** An id, a branch, or the beginning of one. */
  readonly name: string
  readonly method: (typeof methods)[number] | 'cherry-pick'
  /** For `cherry-pick`: the commits in the order of application. */
  readonly commits: readonly string[]
  /** Null: the worktree’s target branch. */
  readonly into: string | null
  readonly message: string | null
}

export interface DiscardWorktree extends WorktreesTarget {
  readonly verb: 'worktrees-discard'
  readonly name: string
  /** The branch's name as given. */
  readonly confirm: string | null
}

export interface UndoDiscard extends WorktreesTarget {
  readonly verb: 'worktrees-undo-discard'
  readonly name: string
}

export interface RemoveMergedWorktrees extends WorktreesTarget {
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
const TARGET = { cwd: 'text', trust: 'flag', json: 'flag' } as const

/** The options of each command. */
export const WORKTREES_OPTIONS = {
  list: TARGET,
  merge: { ...TARGET, method: 'text', into: 'text', message: 'text', 'cherry-pick': 'texts' },
  discard: { ...TARGET, confirm: 'text', undo: 'flag' },
  gc: { ...TARGET, 'dry-run': 'flag' },
} as const satisfies Record<string, OptionKinds>

export function parseWorktrees([action, ...args]: readonly string[]): Result<WorktreesArguments> {
  switch (action) {
    case 'list':
      return parseList(args)
    case 'merge':
      return parseMerge(args)
    case 'discard':
      return parseDiscard(args)
    case 'gc':
      return parseGc(args)
    default:
      return usage(
        `Use troupe worktrees list, merge, discard or gc${action === undefined ? '' : `, not "${action}"`}.`,
      )
  }
}

function parseList(args: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(args, WORKTREES_OPTIONS.list)
  if (!read.ok) return read
  const [extra] = read.value.positionals
  if (extra !== undefined)
    return usage(`Unexpected argument "${extra}": troupe worktrees list takes no names.`)
  return ok({ verb: 'worktrees-list', ...targetOf(read.value) })
}

function parseMerge(args: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(args, WORKTREES_OPTIONS.merge)
  if (!read.ok) return read
  const { text, texts, positionals } = read.value
  const [name, extra] = positionals
  const commits = texts('cherry-pick')
  if (name === undefined) return usage(oneOf('merge'))
  if (extra !== undefined && commits.length > 0)
    return usage(`Unexpected argument "${extra}": put --cherry-pick before each commit.`)
  if (extra !== undefined) return usage(oneOf('merge'))
  const chosen = text('method')
  if (chosen !== null && commits.length > 0) return usage('--cherry-pick can’t be combined with --method.')
  const given = chosen ?? 'merge'
  const merging = methods.find((candidate) => candidate === given)
  if (merging === undefined)
    return usage(
      `Unknown method "${given}". Use one of: ${methods.join(', ')}. For single commits use --cherry-pick COMMIT.`,
    )
  const method = commits.length > 0 ? 'cherry-pick' : merging
  const message = text('message')
  if (message !== null && (method === 'rebase' || method === 'cherry-pick'))
    return usage(`--message is for merge and squash: a ${method} keeps the commits’ own messages.`)
  const odd = commits.find((commit) => !/^[0-9a-f]{7,64}$/i.test(commit))
  if (odd !== undefined)
    return usage(`"${odd}" is not a commit. Give at least 7 characters of its hash, as git log shows it.`)
  if (message?.trim() === '') return usage('--message is empty. Give a message, or leave the option out.')
  return ok({
    verb: 'worktrees-merge',
    ...targetOf(read.value),
    name,
    method,
    commits,
    into: text('into'),
    message,
  })
}

function parseDiscard(args: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(args, WORKTREES_OPTIONS.discard)
  if (!read.ok) return read
  const { text, flag, positionals } = read.value
  const [name, extra] = positionals
  if (name === undefined || extra !== undefined)
    return usage(oneOf(flag('undo') ? 'discard --undo' : 'discard'))
  const confirm = text('confirm')
  if (!flag('undo')) return ok({ verb: 'worktrees-discard', ...targetOf(read.value), name, confirm })
  if (confirm !== null)
    return usage('--undo can’t be combined with --confirm: it restores a worktree and needs no confirmation.')
  return ok({ verb: 'worktrees-undo-discard', ...targetOf(read.value), name })
}

function parseGc(args: readonly string[]): Result<WorktreesArguments> {
  const read = readOptions(args, WORKTREES_OPTIONS.gc)
  if (!read.ok) return read
  const { flag, positionals } = read.value
  const [extra] = positionals
  if (extra !== undefined)
    return usage(
      `Unexpected argument "${extra}": troupe worktrees gc removes all merged worktrees. For one worktree: troupe worktrees discard ${extra}`,
    )
  return ok({ verb: 'worktrees-gc', ...targetOf(read.value), dryRun: flag('dry-run') })
}

const oneOf = (verb: string): string =>
  `Give one worktree: troupe worktrees ${verb} ID. See the ids and branches with: troupe worktrees list`

const targetOf = ({
  text,
  flag,
}: {
  text(name: string): string | null
  flag(name: string): boolean
}): WorktreesTarget => ({ cwd: text('cwd'), trust: flag('trust'), json: flag('json') })
