/** The `FileSystem` port on this machine's disk. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { FileRead, FileSystem } from '../../runtime/ports/files.ts'
import { codeOf } from '../system/error-code.ts'
import { fileFailure, movedFailure } from '../system/file-failure.ts'
import { statOf } from '../system/file-stat.ts'
import { readUpTo } from '../system/read-up-to.ts'
import { realPathOf } from '../system/real-path.ts'
import { pathOfHandle } from './pinned-folder.ts'
import { writeAtomically } from './write-atomically.ts'

/** Bytes. The limit of a read that names none. */
const LARGEST_FILE = 64 * 1024 * 1024

export function createNodeFileSystem(): FileSystem {
  const lock = new KeyedLock()
  return {
    stat: (path) => attempt(path, async () => statOf(await stat(path, { bigint: true }))),
    list: (path) => attempt(path, () => readdir(path)),
    realPath: (path) => realPathOf(path),
    read,
    write: (path, content, options = {}) => {
      // Locked, so that no other write comes between the check of the file and its replacement.
      const writeAt = (real: string) => lock.withLock(real, () => writeAtomically(real, content, options))
      if (options.real) return writeAt(path)
      // The path is resolved under a lock as well, so that writes to it happen in the order of the calls.
      return lock.withLock(`to ${path}`, async () => {
        const real = await realPathOf(path)
        return real.ok ? writeAt(real.value) : real
      })
    },
  }
}

async function attempt<T>(path: string, effect: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await effect())
  } catch (thrown) {
    return fail(fileFailure(thrown, path))
  }
}

async function read(path: string, options: FileRead = {}): Promise<Result<Uint8Array>> {
  let handle: FileHandle
  try {
    // O_NONBLOCK: opening a named pipe without a writer would wait forever.
    const noLink = options.real ? constants.O_NOFOLLOW : 0
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noLink)
  } catch (thrown) {
    return fail(codeOf(thrown) === 'ELOOP' && options.real ? movedFailure(path) : fileFailure(thrown, path))
  }
  try {
    const found = await handle.stat()
    if (found.isDirectory()) return fail(fileFailure({ code: 'EISDIR' }, path))
    if (!found.isFile())
      return fail({ type: 'io', message: `${path} is a device, a pipe or a socket, not a regular file.` })
    if (options.real && !(await isAt(handle, path))) return fail(movedFailure(path))
    const { limit = LARGEST_FILE } = options
    const read = found.size > limit ? null : await readUpTo(handle, limit, found.size)
    return read === null || read.cut ? fail(tooLarge(path, limit)) : ok(read.bytes)
  } catch (thrown) {
    return fail(fileFailure(thrown, path))
  } finally {
    await handle.close()
  }
}

/** Whether the open file is the file at this real path. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await pathOfHandle(handle)
  if (opened !== null) return opened === path
  const [there, mine] = await Promise.all([stat(path).catch(() => null), handle.stat()])
  const now = await realpath(path).catch(() => null)
  return now === path && there?.ino === mine.ino && there.dev === mine.dev
}

function tooLarge(path: string, limit: number) {
  return { type: 'too-large', message: `${path} has more than ${limit} bytes, the limit for one read.` }
}
