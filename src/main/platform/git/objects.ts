/** `git ls-tree`, `git cat-file` and `git hash-object`: entries of trees and the content of blobs. */
import { ok } from '../../../shared/kernel/result.ts'
import { randomHex } from '../system/random-names.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

export interface GitFile {
  readonly mode: string
  readonly sha: string
}

interface TreeEntry extends GitFile {
  /** Bytes; null: the entry is not a file. */
  readonly size: number | null
}

/** Null: the tree has no file at this path. */
export async function treeEntry(
  git: Git,
  folder: string,
  { tree, path }: { readonly tree: string; readonly path: string },
): Promise<GitResult<TreeEntry | null>> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', tree, '--', path]
  const output = await git.run(folder, args)
  if (!output.ok) return output
  const [, mode = '', kind, sha = '', size] = /^(\d+) (\w+) ([0-9a-f]+) +(-|\d+)\t/.exec(output.value) ?? []
  if (kind === undefined || kind === 'tree') return ok(null)
  return ok({ mode, sha, size: size === '-' ? null : Number(size) })
}

/** Bytes of each blob. Null stays null. */
export async function blobSizes(
  git: Git,
  folder: string,
  shas: readonly (string | null)[],
): Promise<GitResult<readonly (number | null)[]>> {
  const wanted = shas.filter((sha) => sha !== null)
  const output = await git.run(folder, ['cat-file', '--batch-check=%(objectsize)'], {
    input: wanted.map((sha) => `${sha}\n`).join(''),
  })
  if (!output.ok) return output
  const sizes = output.value.split('\n').map(Number)
  return ok(shas.map((sha) => (sha === null ? null : (sizes.shift() ?? null))))
}

/** The content of each blob, from one call of git. Null stays null. */
export async function readBlobs(
  git: Git,
  folder: string,
  shas: readonly (string | null)[],
): Promise<GitResult<readonly (Buffer | null)[]>> {
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

/** The content of blobs with the line ends and filters of a checkout, by path. A file that git can't read is left out. */
export async function readFiltered(
  git: Git,
  top: string,
  wanted: readonly { readonly path: string; readonly id: string }[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  if (wanted.length === 0) return found
  // Git states the size before filters, so a line that no file contains separates the contents.
  const mark = randomHex(16)
  const input = wanted.map(({ path, id }) => `${id} ${path}\0`).join('')
  const args = ['cat-file', '-z', '--filters', `--batch=${mark} %(objecttype)`]
  const printed = await git.bytes(top, args, { input })
  if (!printed.ok) return found
  const starts: number[] = []
  for (let at = printed.value.indexOf(mark); at !== -1; at = printed.value.indexOf(mark, at + 1))
    starts.push(at)
  if (starts.length !== wanted.length) return found
  wanted.forEach(({ path }, index) => {
    const start = printed.value.indexOf('\n', starts[index]) + 1
    const end = (starts[index + 1] ?? printed.value.length) - 1
    found.set(path, Uint8Array.from(printed.value.subarray(start, end)))
  })
  return found
}

/** @returns the id of a blob with this content, byte for byte */
export async function writeBlob(git: Git, folder: string, content: Buffer): Promise<GitResult<string>> {
  const written = await git.run(folder, ['hash-object', '-w', '--stdin'], { input: content })
  return written.ok ? ok(written.value.trim()) : written
}

/** Git's own heuristic: text has no zero byte near its start. */
export function isBinary(content: Uint8Array | null): boolean {
  return content?.subarray(0, INSPECTED_BYTES).includes(0) ?? false
}

const INSPECTED_BYTES = 8000
