/** `troupe worktrees merge` and `discard`: merges a worktree into a branch, or removes it and restores it again. */

import { countOf } from '../../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type {
  MergedWork,
  ReviewConflict,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../../../shared/worktrees/review.ts'
import { EXIT, jsonLine, oneLine, type Spoken } from '../../../platform/command-line/terminal.ts'
import type { Runtime } from '../../../runtime/ports/runtime.ts'
import type { Review } from '../../../runtime/ports/worktrees.ts'

/** What the verbs work with. */
export interface WorktreesContext extends Spoken {
  readonly review: Review
  /** Records the merge of an attempt in its comparison. */
  readonly workMerged: Runtime['workMerged']
  /** Real path. */
  readonly folder: string
  readonly trusted: boolean
  /** ms since the epoch. */
  readonly now: number
}

/** Prints a failure to standard error, and with `--json` also to standard output. @returns the exit code */
export function printRefusal(
  { json, output, errors }: Pick<WorktreesContext, 'output' | 'errors'> & { readonly json: boolean },
  { type, message }: { readonly type: string; readonly message: string },
  more: object = {},
): number {
  if (json) output.write(jsonLine({ failure: { type, message }, ...more }))
  errors.write(`troupe: ${message}\n`)
  return EXIT.failed
}

/** The values of `troupe worktrees merge`. */
export interface MergeWorktree {
  readonly verb: 'worktrees-merge'
  /** An id, a branch, or the beginning of one. */
  readonly name: string
  readonly method: 'merge' | 'squash' | 'rebase' | 'cherry-pick'
  /** For `cherry-pick`: the commits in the order of application. */
  readonly commits: readonly string[]
  /** Null: the worktree’s target branch. */
  readonly into: string | null
  readonly message: string | null
  readonly json: boolean
}

/** The values of `troupe worktrees discard`. */
export interface DiscardWorktree {
  readonly verb: 'worktrees-discard'
  readonly name: string
  /** The branch's name as given. */
  readonly confirm: string | null
  /** Whether a discarded worktree is restored. */
  readonly undo: boolean
  readonly json: boolean
}

/** Merges a worktree, or lists the files with conflicts. @returns the exit code */
export async function runMerge(
  { name, method, commits, into, message, json }: MergeWorktree,
  { worktrees }: ReviewSnapshot,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output, errors } = context
  const found = worktreeNamed(name, worktrees, 'worktrees')
  if (!found.ok) return printRefusal({ ...context, json }, found.failure)
  const { id } = found.value
  const key = { folder, id }
  const merged = await review.merge(key, {
    method,
    into,
    ...(method === 'cherry-pick' ? { commits } : {}),
    ...(message === null ? {} : { message }),
  })
  if (merged.ok) {
    const { conversationId, agentId } = found.value
    const { into: target, commit } = merged.value
    // A window that has the conversation open finds the merge in the repository, so a failure here is none.
    await context.workMerged({ conversationId, agentId, merged: { into: target, commit } })
    output.write(
      json
        ? jsonLine({ id, method, ...merged.value })
        : `${method === 'cherry-pick' ? cherryPickedText(found.value, merged.value) : mergedText(found.value, merged.value)}\n`,
    )
    return EXIT.done
  }
  // A cherry-picked commit conflicts in other files than the whole branch.
  if (merged.failure.type !== 'conflicts' || method === 'cherry-pick')
    return printRefusal({ ...context, json }, merged.failure, { id })
  const looked = await review.conflicts(key, { into })
  const conflicts = looked.ok ? looked.value : []
  const files = conflicts.map(({ path, because }) => ({ path, because }))
  const code = printRefusal({ ...context, json }, merged.failure, { id, files })
  for (const conflict of conflicts) errors.write(`${conflictLine(conflict)}\n`)
  return code
}

function mergedText({ branch, id }: ReviewWorktree, { into, commit, commits, files }: MergedWork): string {
  const what = `${countOf(commits, 'commit')}, ${countOf(files, 'file')}`
  return oneLine(
    `${branch} is merged into ${into}, which is now at ${commit.slice(0, 10)} (${what}). The worktree ${id} still exists. Remove merged worktrees with: troupe worktrees gc`,
  )
}

/** The other commits are still unmerged. */
function cherryPickedText({ branch }: ReviewWorktree, { into, commit, commits }: MergedWork): string {
  return oneLine(
    `${countOf(commits, 'commit')} of ${branch} picked into ${into}, which is now at ${commit.slice(0, 10)}. The worktree is unchanged.`,
  )
}

const conflictLine = ({ path, because }: ReviewConflict): string => `  ${oneLine(path)}  ${oneLine(because)}`

/** Discards a worktree; asks before unmerged work is lost. @returns the exit code */
export async function runDiscard(
  { name, confirm, json }: DiscardWorktree,
  { worktrees }: ReviewSnapshot,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output, ask } = context
  const found = worktreeNamed(name, worktrees, 'worktrees')
  if (!found.ok) return printRefusal({ ...context, json }, found.failure)
  const { id, branch, version } = found.value
  const key = { folder, id }
  let discarded = await review.discard(key, confirm)
  if (!discarded.ok && discarded.failure.type === 'confirm') {
    if (ask === null || confirm !== null)
      return printRefusal(
        { ...context, json },
        {
          type: 'confirm',
          message: oneLine(`${discarded.failure.message} (--confirm ${branch})`),
        },
        { id, branch },
      )
    const typed = await ask(`${oneLine(discarded.failure.message)}\nBranch name: `)
    if (typed.trim() !== branch)
      return printRefusal(
        { ...context, json },
        { type: 'confirm', message: 'The name does not match the branch. Nothing was discarded.' },
        { id, branch },
      )
    discarded = await review.discard(key, branch, version)
  }
  if (!discarded.ok) return printRefusal({ ...context, json }, discarded.failure, { id, branch })
  output.write(
    json
      ? jsonLine({ id, branch, discarded: true })
      : `${oneLine(`${branch} is discarded. To restore it before the window’s next start: troupe worktrees discard --undo ${id}`)}\n`,
  )
  return EXIT.done
}

/** Restores a discarded worktree. @returns the exit code */
export async function runUndoDiscard(
  { name, json }: DiscardWorktree,
  { discarded }: ReviewSnapshot,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output } = context
  const found = worktreeNamed(name, discarded, 'discarded worktrees')
  if (!found.ok) return printRefusal({ ...context, json }, found.failure)
  const { id, branch } = found.value
  const back = await review.undoDiscard({ folder, id })
  if (!back.ok) return printRefusal({ ...context, json }, back.failure, { id, branch })
  output.write(
    json
      ? jsonLine({ id, branch, discarded: false })
      : `${oneLine(`${branch} is restored, with its worktree.`)}\n`,
  )
  return EXIT.done
}

interface Named {
  readonly id: string
  readonly branch: string
  readonly agentName: string
}

/**
 * Finds a worktree by id, branch, or a unique prefix of either or of its agent's name.
 * @param what the plural noun for the message
 */
export function worktreeNamed<T extends Named>(name: string, all: readonly T[], what: string): Result<T> {
  const exact = all.find(({ id, branch }) => id === name || branch === name)
  if (exact !== undefined) return ok(exact)
  const matching = all.filter((worktree) =>
    [worktree.id, worktree.branch, worktree.agentName].some((part) => part.startsWith(name)),
  )
  const [only, other] = matching
  if (only !== undefined && other === undefined) return ok(only)
  if (only !== undefined)
    return fail({
      type: 'ambiguous',
      message: oneLine(`"${name}" matches several: ${idsOf(matching)}. Give a longer prefix.`),
    })
  const available = all.length === 0 ? `There are no ${what} here.` : `Available: ${idsOf(all)}.`
  return fail({ type: 'not-there', message: oneLine(`"${name}" matches none of the ${what}. ${available}`) })
}

const idsOf = (all: readonly Named[]): string => all.map(({ id }) => id).join(', ')
