/**
 * `.worktreeinclude`: untracked files that a worktree needs, like `.env`. Only regular files inside the checkout are
 * copied. Links are followed on neither side.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { WorktreeResult } from '../../runtime/ports/worktrees.ts'

const LIST = '.worktreeinclude'

/** Limits for one worktree. */
const MOST_FILES = 2_000
const MOST_BYTES = 200 * 1024 * 1024

export interface IncludedFiles {
  /** Relative to the top. */
  readonly paths: readonly string[]
  /** The files that were left out, as text for the user. */
  readonly notes: readonly string[]
}

/** The untracked files of a checkout that its list names. */
export async function includedFiles(
  git: Git,
  top: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<WorktreeResult<IncludedFiles>> {
  const list = join(top, LIST)
  const found = await lstat(list).catch(() => null)
  if (found === null) return ok({ paths: [], notes: [] })
  if (!found.isFile())
    return ok({ paths: [], notes: [`${LIST} is not a regular file, so no files were copied.`] })
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${list}`]
  const listed = await git.run(top, args, signal ? { signal } : {})
  if (!listed.ok) return listed
  // A path that ends with a slash is a nested repository.
  const named = listed.value.split('\0').filter((path) => path !== '' && !path.endsWith('/'))
  const sizes = await sizesOf(top, named)
  const paths: string[] = []
  let bytes = 0
  for (const [index, path] of named.entries()) {
    const size = sizes[index] ?? null
    if (size === null || paths.length >= MOST_FILES || bytes + size > MOST_BYTES) continue
    bytes += size
    paths.push(path)
  }
  const left = named.length - paths.length
  return ok({ paths, notes: left === 0 ? [] : [leftOutText(left)] })
}

const leftOutText = (left: number): string =>
  `${left} ${left === 1 ? 'file' : 'files'} in ${LIST} ${left === 1 ? 'was' : 'were'} not copied. Only regular files are copied, up to ${MOST_FILES} files and ${MOST_BYTES / 1024 / 1024} MB in total. List fewer files, or copy them by hand.`

/** Bytes; null: the path is not a regular file. */
function sizesOf(top: string, paths: readonly string[]): Promise<readonly (number | null)[]> {
  return Promise.all(
    paths.map((path) =>
      lstat(join(top, path)).then(
        (found) => (found.isFile() ? found.size : null),
        () => null,
      ),
    ),
  )
}

/**
 * Copies files with their modes. Existing files are not replaced. Throws where the disk can't be written.
 * @returns the files that could not be copied
 */
export async function copyIncluded(
  from: string,
  to: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const left: string[] = []
  for (const path of paths) if (!(await copyFile(from, to, path))) left.push(path)
  return left
}

async function copyFile(from: string, to: string, path: string): Promise<boolean> {
  if (!(await leadsInside(from, path))) return false
  const source = await open(join(from, path), PLAIN).catch(() => null)
  if (source === null) return false
  try {
    const found = await source.stat()
    if (!found.isFile()) return false
    const target = await openNew(to, path, found.mode & 0o777)
    if (target === null) return false
    try {
      await pour(source, target)
      await target.chmod(found.mode & 0o777)
      return true
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

// O_NONBLOCK: opening a named pipe would wait for its writer.
const PLAIN = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** Null: the path is taken, or a link in it leads out of the worktree. */
async function openNew(top: string, path: string, mode: number): Promise<FileHandle | null> {
  if (!(await leadsInside(top, path))) return null
  const full = join(top, path)
  try {
    await mkdir(dirname(full), { recursive: true })
    if (!(await leadsInside(top, path))) return null
    return await open(full, NEW, mode)
  } catch (error) {
    if (['EEXIST', 'ENOTDIR', 'ELOOP'].includes(codeOf(error))) return null
    throw error
  }
}

/** Whether the nearest existing folder of a path is inside the top, links resolved. */
async function leadsInside(top: string, path: string): Promise<boolean> {
  for (let folder = dirname(join(top, path)); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => null)
    if (real !== null) return real === top || real.startsWith(top + sep)
    if (folder === top || folder === dirname(folder)) return false
  }
}

async function pour(source: FileHandle, target: FileHandle): Promise<void> {
  const buffer = Buffer.alloc(256 * 1024)
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, buffer.length, null)
    if (bytesRead === 0) return
    for (let done = 0; done < bytesRead; )
      done += (await target.write(buffer, done, bytesRead - done, null)).bytesWritten
  }
}
