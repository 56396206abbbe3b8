/** The last steps of every merge: the target moves to the result, and the record says so. */
import { ok } from '../../../../shared/kernel/result.ts'
import { mergeMessage, messageText } from '../../../../shared/worktrees/merge-message.ts'
import type { MergedWork, MergeMethod } from '../../../../shared/worktrees/review.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { advanceBranch } from './advance-branch.ts'
import type { FoundWorktree, ReviewTools } from './review-tools.ts'

/** Merges that a record holds. */
const MOST_MERGES = 20

interface MergeToPublish {
  readonly into: { readonly branch: string; readonly commit: string }
  /** The tip of the worktree's branch. */
  readonly head: string
  /** The new tip of `into`. */
  readonly result: string
  /** The number of merged commits. */
  readonly commits: number
  readonly method: MergeMethod
}

export async function publishMerge(
  tools: ReviewTools,
  { record, repository }: FoundWorktree,
  { into, head, result, commits, method }: MergeToPublish,
): Promise<ReviewResult<MergedWork>> {
  const moved = await advanceBranch(tools.git, repository, {
    branch: into.branch,
    from: into.commit,
    to: result,
    why: `merge ${record.branch} (${method})`,
  })
  if (!moved.ok) return moved
  const merged = {
    into: into.branch,
    commit: result,
    head,
    method,
    at: tools.now(),
    before: into.commit,
  }
  const written = await tools.records.update(record.path, (now) => ({
    ...now,
    merged,
    mergedBefore: [...now.mergedBefore, ...(now.merged ? [now.merged] : [])].slice(-MOST_MERGES),
    head,
    resolving: null,
  }))
  if (!written.ok)
    tools.onProblem(
      `${record.branch} was merged, but the merge could not be recorded: ${written.failure.message}`,
    )
  const files = await tools.comparisons.files(repository.top, { from: into.commit, to: result })
  return ok({ into: into.branch, commit: result, commits, files: files.ok ? files.value.length : 0 })
}

/** The message of a merge whose user wrote none. */
export function defaultMessage({ owner, branch }: WorktreeRecord, method: 'merge' | 'squash'): string {
  return messageText(mergeMessage({ agentName: owner.name, task: owner.task, branch }, method))
}
