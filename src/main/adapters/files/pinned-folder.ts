/**
 * A folder held open, so that nothing that happens to the path leading to it matters any more: a link that
 * another process puts in the way between check and use is seen, not followed.
 *
 * On Linux the way through is `/proc/self/fd/<n>/<name>`, which the system resolves from the open folder.
 * Elsewhere the path is compared again right before each use.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { codeOf, fileFailure, movedFailure } from './file-failure.ts'

export interface PinnedFolder {
  /** The path by which to use an entry of the folder. */
  at(name: string): string
  /** Whether the folder is still the one that was pinned. */
  holds(): Promise<boolean>
  close(): Promise<void>
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Pins a folder by its real path; a path with a link in it is `moved`. Missing folders are made if asked for. */
export async function pinFolder(real: string, make: boolean): Promise<Result<PinnedFolder>> {
  let handle: FileHandle
  try {
    handle = await open(real, OPEN_FOLDER)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT' && make && dirname(real) !== real) return makeFolder(real)
    if (code === 'ELOOP' || code === 'ENOTDIR') return fail(await linkOrFile(real, thrown))
    // A folder that may be entered but not listed.
    if (code === 'EACCES') return pinByPath(real)
    return fail(fileFailure(thrown, real))
  }
  return pinHandle(handle, real)
}

/** The path an open file has now, or null where the system does not tell. */
export async function pathOfHandle(handle: FileHandle): Promise<string | null> {
  if (process.platform !== 'linux') return null
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => null)
}

async function pinHandle(handle: FileHandle, real: string): Promise<Result<PinnedFolder>> {
  const path = await pathOfHandle(handle)
  if (path === null) {
    await handle.close()
    return pinByPath(real)
  }
  if (path !== real) {
    await handle.close()
    return fail(movedFailure(real))
  }
  return ok({
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    holds: async () => true,
    close: () => handle.close(),
  })
}

async function pinByPath(real: string): Promise<Result<PinnedFolder>> {
  const holds = async () => (await realpath(real).catch(() => null)) === real
  if (!(await holds())) return fail(movedFailure(real))
  return ok({ at: (name) => join(real, name), holds, close: async () => {} })
}

async function makeFolder(real: string): Promise<Result<PinnedFolder>> {
  const parent = await pinFolder(dirname(real), true)
  if (!parent.ok) return parent
  const here = parent.value.at(basename(real))
  try {
    await mkdir(here).catch((thrown: unknown) => {
      // Somebody else was quicker.
      if (codeOf(thrown) !== 'EEXIST') throw thrown
    })
    return await pinHandle(await open(here, OPEN_FOLDER), real)
  } catch (thrown) {
    return fail(codeOf(thrown) === 'ELOOP' ? movedFailure(real) : fileFailure(thrown, real))
  } finally {
    await parent.value.close()
  }
}

/** A folder's place is taken: by a link that came since, or by a file. */
async function linkOrFile(real: string, thrown: unknown): Promise<Failure> {
  const isLink = await lstat(real).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  const now = await realpath(real).catch(() => null)
  return isLink || (now !== null && now !== real) ? movedFailure(real) : fileFailure(thrown, real)
}
