/** `troupe worktrees merge`: merges a worktree into a branch, or lists the files with conflicts. */
import type {
  MergedWork,
  ReviewConflict,
  ReviewSnapshot,
  ReviewWorktree,
} from '../../../../shared/worktrees/review.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import { findWorktree } from './find-worktree.ts'
import type { MergeWorktree } from './parse-worktrees.ts'
import { refuse, type WorktreesContext } from './worktrees-context.ts'

export async function mergeWorktree(
  { name, method, commits, into, message, json }: MergeWorktree,
  { worktrees }: ReviewSnapshot,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output, errors } = context
  const found = findWorktree(name, worktrees, 'worktrees')
  if (!found.ok) return refuse({ ...context, json }, found.failure)
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
        ? `${JSON.stringify({ id, method, ...merged.value })}\n`
        : `${method === 'cherry-pick' ? cherryPickedText(found.value, merged.value) : mergedText(found.value, merged.value)}\n`,
    )
    return EXIT.done
  }
  // A cherry-picked commit conflicts in other files than the whole branch.
  if (merged.failure.type !== 'conflicts' || method === 'cherry-pick')
    return refuse({ ...context, json }, merged.failure, { id })
  const looked = await review.conflicts(key, { into })
  const conflicts = looked.ok ? looked.value : []
  const files = conflicts.map(({ path, because }) => ({ path, because }))
  const code = refuse({ ...context, json }, merged.failure, { id, files })
  for (const conflict of conflicts) errors.write(`${conflictLine(conflict)}\n`)
  return code
}

function mergedText({ branch, id }: ReviewWorktree, { into, commit, commits, files }: MergedWork): string {
  const what = `${commitCount(commits)}, ${files} file${files === 1 ? '' : 's'}`
  return oneLine(
    `${branch} is merged into ${into}, which is now at ${commit.slice(0, 10)} (${what}). The worktree ${id} still exists. Remove merged worktrees with: troupe worktrees gc`,
  )
}

/** The other commits are still unmerged. */
function cherryPickedText({ branch }: ReviewWorktree, { into, commit, commits }: MergedWork): string {
  return oneLine(
    `${commitCount(commits)} of ${branch} picked into ${into}, which is now at ${commit.slice(0, 10)}. The worktree is unchanged.`,
  )
}

const commitCount = (count: number): string => `${count} commit${count === 1 ? '' : 's'}`

const conflictLine = ({ path, because }: ReviewConflict): string => `  ${oneLine(path)}  ${oneLine(because)}`
