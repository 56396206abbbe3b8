/** The files in conflict as a merge would leave them. */
import { isUtf8 } from 'node:buffer'
import { ok } from '../../../../shared/kernel/result.ts'
import type { ReviewConflict } from '../../../../shared/worktrees/review.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { mergeTrees, type UnmergedPath } from '../../../platform/git/merge-tree.ts'
import { blobSizes, type GitFile, isBinary, readBlobs, treeEntry } from '../../../platform/git/objects.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
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
  const sizes = await sizesOf(git, folder, conflicts)
  if (!sizes.ok) return sizes
  const readable = (side: GitFile | null) =>
    side?.mode.startsWith('100') && (sizes.value.get(side.sha) ?? 0) <= LARGEST ? side.sha : null
  const merges = await Promise.all(
    conflicts.map(async ({ path, base, ours, theirs }) => {
      const entry = readable(ours) && readable(theirs) ? await treeEntry(git, folder, { tree, path }) : null
      const marked = entry?.ok && entry.value?.mode.startsWith('100') ? entry.value.sha : null
      return [marked, readable(base), readable(ours), readable(theirs)]
    }),
  )
  const contents = await readBlobs(git, folder, merges.flat())
  if (!contents.ok) return contents
  const texts = contents.value.map((content) =>
    content === null || isBinary(content) || !isUtf8(content) ? null : content.toString('utf8'),
  )
  return ok(
    conflicts.map((conflict, index) => {
      const [marked = null, base = null, ours = null, theirs = null] = texts.slice(index * 4, index * 4 + 4)
      const isText = marked !== null && conflict.conflictType !== 'binary'
      return {
        path: conflict.path,
        version: conflictsVersion(sides),
        text: isText ? namedMarkers(marked, sides) : null,
        base: conflict.base && { text: base },
        ours: conflict.ours && { text: ours },
        theirs: conflict.theirs && { text: theirs },
        because: conflictText(conflict, sides),
      }
    }),
  )
}

/** `ReviewConflict.version`. */
export const conflictsVersion = ({ ours, theirs }: MergeSides): string => `${ours.commit} ${theirs.commit}`

/** Bytes by blob. */
async function sizesOf(
  git: Git,
  folder: string,
  conflicts: readonly UnmergedPath[],
): Promise<ReviewResult<ReadonlyMap<string, number>>> {
  const files = conflicts
    .flatMap(({ base, ours, theirs }) => [base, ours, theirs])
    .flatMap((side) => (side?.mode.startsWith('100') ? [side.sha] : []))
  const shas = [...new Set(files)]
  const sizes = await blobSizes(git, folder, shas)
  return sizes.ok ? ok(new Map(shas.map((sha, index) => [sha, sizes.value[index] ?? 0]))) : sizes
}
