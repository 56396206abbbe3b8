/** One path on two sides of a comparison: as text, or why it can't be shown as text. */
import { ok, type Result } from '../../../../shared/result.ts'
import type { ReviewFileText } from '../../../../shared/review.ts'
import type { Git } from '../git-client.ts'

/** Bytes. Larger files are not read. */
const LARGEST = 2 * 1024 * 1024
/** Git itself looks for a zero byte this far. */
const LOOKED_AT = 8000
const SUBMODULE = '160000'

export interface FileSide {
  readonly mode: string
  readonly sha: string
}

export interface TreeEntry extends FileSide {
  /** Bytes; null: it is no file. */
  readonly size: number | null
}

/** Null: the tree has no such file. */
export async function treeEntry(
  git: Git,
  folder: string,
  { tree, path }: { readonly tree: string; readonly path: string },
): Promise<Result<TreeEntry | null>> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', tree, '--', path]
  const output = await git.run(folder, args)
  if (!output.ok) return output
  const [, mode = '', kind, sha = '', size] = /^(\d+) (\w+) ([0-9a-f]+) +(-|\d+)\t/.exec(output.value) ?? []
  if (kind === undefined || kind === 'tree') return ok(null)
  return ok({ mode, sha, size: size === '-' ? null : Number(size) })
}

/** `isText` is what git says of it; false: it is not shown as text even if it could be. */
export async function fileSides(
  git: Git,
  folder: string,
  {
    before,
    after,
    isText,
  }: { readonly before: FileSide | null; readonly after: FileSide | null; readonly isText: boolean },
): Promise<Result<ReviewFileText>> {
  if (before?.mode === SUBMODULE || after?.mode === SUBMODULE)
    return ok({ kind: 'submodule', before: commitOf(before), after: commitOf(after) })
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
  return ok({ kind: 'text', before: old?.toString('utf8') ?? null, after: now?.toString('utf8') ?? null })
}

/** Bytes. Null stays null. */
async function blobSizes(
  git: Git,
  folder: string,
  shas: readonly (string | null)[],
): Promise<Result<readonly (number | null)[]>> {
  const wanted = shas.filter((sha) => sha !== null)
  const output = await git.run(folder, ['cat-file', '--batch-check=%(objectsize)'], {
    input: wanted.map((sha) => `${sha}\n`).join(''),
  })
  if (!output.ok) return output
  const sizes = output.value.split('\n').map(Number)
  return ok(shas.map((sha) => (sha === null ? null : (sizes.shift() ?? null))))
}

/** The content of blobs, by one call of git. Null stays null. */
export async function readBlobs(
  git: Git,
  folder: string,
  shas: readonly (string | null)[],
): Promise<Result<readonly (Buffer | null)[]>> {
  const wanted = shas.filter((sha) => sha !== null)
  if (wanted.length === 0) return ok(shas.map(() => null))
  const output = await git.bytes(folder, ['cat-file', '--batch'], {
    input: wanted.map((sha) => `${sha}\n`).join(''),
  })
  if (!output.ok) return output
  let at = 0
  return ok(
    shas.map((sha) => {
      if (sha === null) return null
      const end = output.value.indexOf('\n', at)
      const size = Number(output.value.toString('utf8', at, end).split(' ')[2])
      at = end + 1 + size + 1
      return output.value.subarray(end + 1, end + 1 + size)
    }),
  )
}

export function isBinary(content: Buffer | null): boolean {
  return content?.subarray(0, LOOKED_AT).includes(0) ?? false
}

const commitOf = (entry: FileSide | null): string | null => (entry?.mode === SUBMODULE ? entry.sha : null)
