/** Both sides of a picture in a comparison. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { PictureSide, ReviewPicture } from '../../../../shared/worktrees/review.ts'
import type { TreeChange } from '../../../platform/git/diff-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { blobSizes, type GitFile, readBlobs } from '../../../platform/git/objects.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'

/** Bytes. Larger pictures are not read. */
const LARGEST = 10 * 1024 * 1024

/** Fails as `not-there` where no side is a picture. */
export async function pictureSides(
  git: Git,
  folder: string,
  { path, oldPath, before, after }: TreeChange,
): Promise<ReviewResult<ReviewPicture>> {
  const shaOf = (side: GitFile | null) => (side?.mode.startsWith('100') ? side.sha : null)
  const shas = [shaOf(before), shaOf(after)]
  const sizes = await blobSizes(git, folder, shas)
  if (!sizes.ok) return sizes
  const small = shas.map((sha, index) => ((sizes.value[index] ?? 0) <= LARGEST ? sha : null))
  const read = await readBlobs(git, folder, small)
  if (!read.ok) return read
  const paths = [oldPath ?? path, path]
  const [old = null, now = null] = sizes.value.map((bytes, index) => {
    const content = read.value[index] ?? null
    const type = content && typeOf(content, paths[index] ?? '')
    return bytes === null ? null : sideOf({ bytes, type, content })
  })
  if (!old?.type && !now?.type) return fail({ type: 'not-there', message: `${path} is not a picture.` })
  return ok({ before: old, after: now })
}

const sideOf = ({
  bytes,
  type,
  content,
}: {
  readonly bytes: number
  readonly type: PictureSide['type']
  readonly content: Buffer | null
}): PictureSide => ({ bytes, type, data: type && content ? content.toString('base64') : null })

/** The type by the first bytes. SVG has none: there the name counts too. */
function typeOf(content: Buffer, path: string): PictureSide['type'] {
  const start = content.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp'
  if (path.toLowerCase().endsWith('.svg') && content.toString('utf8').includes('<svg')) return 'image/svg+xml'
  return null
}
