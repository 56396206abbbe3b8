/** `troupe worktrees merge`: what is in a worktree goes into a branch, or the files with conflicts are told. */
import type { ReviewConflict, ReviewSnapshot, ReviewWorktree } from '../../shared/review.ts'
import type { MergedWork } from '../runtime/worktrees.ts'
import { oneLine } from './definition-block.ts'
import { findWorktree } from './find-worktree.ts'
import type { MergeWorktree } from './parse-worktrees.ts'
import { EXIT } from './usage.ts'
import { refuse, type WorktreesSurroundings } from './worktrees-surroundings.ts'

export async function mergeWorktree(
  { name, method, commits, into, message, json }: MergeWorktree,
  { worktrees }: ReviewSnapshot,
  around: WorktreesSurroundings,
): Promise<number> {
  const { review, folder, output, errors } = around
  const found = findWorktree(name, worktrees, 'worktrees')
  if (!found.ok) return refuse(json, around, found.failure)
  const { id } = found.value
  const key = { folder, id }
  const merged = await review.merge(key, {
    method,
    into,
    ...(method === 'cherry-pick' ? { commits } : {}),
    ...(message === null ? {} : { message }),
  })
  if (merged.ok) {
    output.write(
      json
        ? `${JSON.stringify({ id, method, ...merged.value })}\n`
        : `${method === 'cherry-pick' ? pickedWords(found.value, merged.value) : mergedWords(found.value, merged.value)}\n`,
    )
    return EXIT.done
  }
  // What the words name of a commit is not what the whole branch conflicts in.
  if (merged.failure.type !== 'conflicts' || method === 'cherry-pick')
    return refuse(json, around, merged.failure, { id })
  const looked = await review.conflicts(key, { into })
  const conflicts = looked.ok ? looked.value : []
  const files = conflicts.map(({ path, because }) => ({ path, because }))
  const code = refuse(json, around, merged.failure, { id, files })
  for (const conflict of conflicts) errors.write(`${conflictLine(conflict)}\n`)
  return code
}

function mergedWords({ branch, id }: ReviewWorktree, { into, commit, commits, files }: MergedWork): string {
  const what = `${commitsWords(commits)}, ${files} file${files === 1 ? '' : 's'}`
  return oneLine(
    `${branch} is merged into ${into}, which is now at ${commit.slice(0, 10)} (${what}). Its worktree ${id} is still there: troupe worktrees gc removes all that are merged.`,
  )
}

/** The rest of its commits still waits. */
function pickedWords({ branch }: ReviewWorktree, { into, commit, commits }: MergedWork): string {
  return oneLine(
    `${commitsWords(commits)} of ${branch} came to ${into}, which is now at ${commit.slice(0, 10)}. Its worktree stays as it is.`,
  )
}

const commitsWords = (count: number): string => `${count} commit${count === 1 ? '' : 's'}`

const conflictLine = ({ path, because }: ReviewConflict): string => `  ${oneLine(path)}  ${oneLine(because)}`
