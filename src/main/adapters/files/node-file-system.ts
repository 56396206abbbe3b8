/** Files on the disk of this machine. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileRead, FileSystem } from '../../runtime/ports.ts'
import { codeOf, fileFailure, movedFailure } from './file-failure.ts'
import { statOf } from './file-stat.ts'
import { pathOfHandle } from './pinned-folder.ts'
import { realPathOf } from './real-path.ts'
import { writeAtomically } from './write-atomically.ts'

export function createNodeFileSystem(): FileSystem {
  const inTurn = createTurns()
  return {
    stat: (path) => attempt(path, async () => statOf(await stat(path, { bigint: true }))),
    list: (path) => attempt(path, () => readdir(path)),
    realPath: (path) => realPathOf(path),
    read,
    write: (path, content, options = {}) => {
      // One after the other, so that nothing comes between the last look at the file and its replacement.
      const writeAt = (real: string) => inTurn(real, () => writeAtomically(real, content, options))
      if (options.real) return writeAt(path)
      // Where a path leads is found out in turn as well: the last who writes to it has the last word.
      return inTurn(`to ${path}`, async () => {
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
    // Without blocking: a named pipe without a writer would never open.
    const noLink = options.real ? constants.O_NOFOLLOW : 0
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noLink)
  } catch (thrown) {
    return fail(codeOf(thrown) === 'ELOOP' && options.real ? movedFailure(path) : fileFailure(thrown, path))
  }
  try {
    const found = await handle.stat()
    if (found.isDirectory()) return fail(fileFailure({ code: 'EISDIR' }, path))
    if (!found.isFile())
      return fail({ type: 'io', message: `${path} is a device, a pipe or a socket, not a plain file.` })
    if (options.real && !(await isAt(handle, path))) return fail(movedFailure(path))
    const { limit } = options
    if (limit !== undefined && found.size > limit) return fail(tooLarge(path, found.size, limit))
    return ok(await handle.readFile())
  } catch (thrown) {
    return fail(fileFailure(thrown, path))
  } finally {
    await handle.close()
  }
}

/** Whether the open file is the one that lies at this real path. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const opened = await pathOfHandle(handle)
  if (opened !== null) return opened === path
  const [there, mine] = await Promise.all([stat(path).catch(() => null), handle.stat()])
  const now = await realpath(path).catch(() => null)
  return now === path && there?.ino === mine.ino && there.dev === mine.dev
}

function tooLarge(path: string, size: number, limit: number) {
  return { type: 'too-large', message: `${path} has ${size} bytes; at most ${limit} are read at once.` }
}

/** Lets calls with the same key run one after the other. */
function createTurns(): <T>(key: string, turn: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, turn) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(turn, turn)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
