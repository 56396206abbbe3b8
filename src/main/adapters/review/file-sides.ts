/** Both sides of a file in a comparison: the text, or why the file is not shown as text. */
import { isUtf8 } from 'node:buffer'
import { ok } from '../../../shared/result.ts'
import type { ReviewFileText } from '../../../shared/review.ts'
import type { ReviewResult } from '../../runtime/worktrees.ts'
import type { Git } from '../git/git-client.ts'
import { blobSizes, type FileSide, isBinary, readBlobs } from '../git/objects.ts'
import { SUBMODULE_MODE } from '../git/status.ts'

/** Bytes. Larger files are not read. */
const LARGEST = 2 * 1024 * 1024

/** `isText` is git's decision, which attributes may override. */
export async function fileSides(
  git: Git,
  folder: string,
  {
    before,
    after,
    isText,
  }: { readonly before: FileSide | null; readonly after: FileSide | null; readonly isText: boolean },
): Promise<ReviewResult<ReviewFileText>> {
  if (before?.mode === SUBMODULE_MODE || after?.mode === SUBMODULE_MODE)
    return ok({ kind: 'submodule', before: submoduleCommit(before), after: submoduleCommit(after) })
  const sizes = await blobSizes(git, folder, [before?.sha ?? null, after?.sha ?? null])
  if (!sizes.ok) return sizes
  const [bytesBefore = null, bytesAfter = null] = sizes.value
  const bytes = { bytesBefore, bytesAfter }
  if ((bytesBefore ?? 0) > LARGEST || (bytesAfter ?? 0) > LARGEST) return ok({ kind: 'too-large', ...bytes })
  if (!isText) return ok({ kind: 'binary', ...bytes })
  const read = await readBlobs(git, folder, [before?.sha ?? null, after?.sha ?? null])
  if (!read.ok) return read
  const [old = null, now = null] = read.value
  if (isBinary(old) || isBinary(now)) return ok({ kind: 'binary', ...bytes })
  // In UTF-8, different bytes of another encoding would become the same character.
  const encoding = [old, now].every((side) => side === null || isUtf8(side)) ? 'utf8' : 'latin1'
  return ok({ kind: 'text', before: old?.toString(encoding) ?? null, after: now?.toString(encoding) ?? null })
}

const submoduleCommit = (entry: FileSide | null): string | null =>
  entry?.mode === SUBMODULE_MODE ? entry.sha : null
