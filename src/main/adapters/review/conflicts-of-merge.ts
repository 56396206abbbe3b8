/** The files in conflict as a merge would leave them. */
import { ok } from '../../../shared/result.ts'
import type { ReviewConflict } from '../../../shared/review.ts'
import type { ReviewResult } from '../../runtime/worktrees.ts'
import { mergeTrees } from '../git/merge-tree.ts'
import { isBinary, readBlobs, treeEntry } from '../git/objects.ts'
import { conflictText, type MergeSides, namedMarkers } from './conflict-text.ts'
import type { ReviewTools } from './review-tools.ts'

/** Bytes. Larger files are not read. */
const LARGEST = 2 * 1024 * 1024

export async function conflictsOfMerge(
  { git }: Pick<ReviewTools, 'git'>,
  folder: string,
  sides: MergeSides,
): Promise<ReviewResult<readonly ReviewConflict[]>> {
  // Not cached: no ref names the merged tree, so git may have pruned it since.
  const merged = await mergeTrees(git, folder, { ours: sides.ours.commit, theirs: sides.theirs.commit })
  if (!merged.ok) return merged
  const { tree, conflicts } = merged.value
  const entries = await Promise.all(
    conflicts.map(async ({ path, ours, theirs }) => {
      if (!ours || !theirs) return null
      const entry = await treeEntry(git, folder, { tree, path })
      if (!entry.ok || !entry.value?.mode.startsWith('100')) return null
      return (entry.value.size ?? 0) > LARGEST ? null : entry.value.sha
    }),
  )
  const contents = await readBlobs(git, folder, entries)
  if (!contents.ok) return contents
  return ok(
    conflicts.map((conflict, index) => {
      const content = contents.value[index] ?? null
      const isText = content !== null && !isBinary(content) && conflict.conflictType !== 'binary'
      return {
        path: conflict.path,
        text: isText ? namedMarkers(content.toString('utf8'), sides) : null,
        because: conflictText(conflict, sides),
      }
    }),
  )
}
