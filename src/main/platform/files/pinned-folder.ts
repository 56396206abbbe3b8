/**
 * A folder held open, so that later changes of its path have no effect: a link that another process puts into the
 * path between check and use is detected, not followed.
 *
 * On Linux, entries are reached through `/proc/self/fd/<n>/<name>`, which the system resolves from the open folder.
 * Elsewhere the path is compared again right before each use.
 */
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { codeOf } from '../system/error-code.ts'
import { fileFailure, movedFailure } from '../system/file-failure.ts'

export interface PinnedFolder {
  /** The path to an entry of the folder. */
  at(name: string): string
  /** Whether the path still leads to the pinned folder. */
  holds(): Promise<boolean>
  close(): Promise<void>
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Pins a folder by its real path. A path with a link in it fails as `moved`. @param make whether to make missing folders */
export async function pinFolder(real: string, make: boolean): Promise<Result<PinnedFolder>> {
  let handle: FileHandle
  try {
    handle = await open(real, OPEN_FOLDER)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT' && make && dirname(real) !== real) return makeFolder(real)
    if (code === 'ELOOP' || code === 'ENOTDIR') return fail(await linkOrFile(real, thrown))
    // A folder that allows entering but not listing.
    if (code === 'EACCES') return pinByPath(real)
    return fail(fileFailure(thrown, real))
  }
  return pinHandle(handle, real)
}

/** The current path of an open file; null if the system does not report it. */
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
      // Another process made the folder first.
      if (codeOf(thrown) !== 'EEXIST') throw thrown
    })
    return await pinHandle(await open(here, OPEN_FOLDER), real)
  } catch (thrown) {
    return fail(codeOf(thrown) === 'ELOOP' ? movedFailure(real) : fileFailure(thrown, real))
  } finally {
    await parent.value.close()
  }
}

/** The path holds a link that appeared since the check, or a file. */
async function linkOrFile(real: string, thrown: unknown): Promise<Failure> {
  const isLink = await lstat(real).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  const now = await realpath(real).catch(() => null)
  return isLink || (now !== null && now !== real) ? movedFailure(real) : fileFailure(thrown, real)
}
