/** Checks for changes that must not be merged: remaining conflict markers, and files that were only copied in. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { addedMarkers, type CommitRange } from '../../../platform/git/conflict-markers.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { fileListText } from '../named-files.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import type { CommitComparisons } from './comparisons.ts'

/** Fails as `unfinished`, with the files and lines. */
export async function checkFinished(
  { git, comparisons }: { readonly git: Git; readonly comparisons: CommitComparisons },
  {
    folder,
    record,
    range,
  }: { readonly folder: string; readonly record: WorktreeRecord; readonly range: CommitRange },
): Promise<ReviewResult<void>> {
  const files = await comparisons.files(folder, { from: range.from, to: range.tip })
  if (!files.ok) return files
  const copied = new Set(record.copied)
  const strays = files.value.filter(({ kind, path }) => kind !== 'deleted' && copied.has(path))
  if (strays.length > 0)
    return fail({
      type: 'unfinished',
      message: `${fileListText(strays.map(({ path }) => path))} was copied into the worktree (.worktreeinclude) and committed on ${record.branch}. Such files may hold secrets. Ask the agent to remove them from its commits, then merge again.`,
    })
  const marked = await addedMarkers(git, folder, range)
  if (!marked.ok) return marked
  if (marked.value.length === 0) return ok(undefined)
  return fail({
    type: 'unfinished',
    message: `Conflict markers are left in ${record.branch}: ${fileListText(marked.value)}. Ask its agent to resolve them, then merge again.`,
  })
}
