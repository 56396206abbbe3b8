/**
 * The lock of a conversation: a folder with one empty file, whose name identifies the holder. The folder is created
 * elsewhere and renamed to the lock's path. The rename fails while a folder with a file exists there, so exactly one
 * process gets the lock. The lock of a dead holder is broken by deleting the file of that name, which can't affect a
 * newer holder's lock.
 */
import { readdir, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { FILE_MODE, makeFolders } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { identityOf, isRunning, type ProcessIdentity } from '../system/process-identity.ts'
import { randomHex } from '../system/random-names.ts'
import type { DataPaths } from './data-paths.ts'

export interface ConversationLock {
  /** False if the file of this holder is gone. */
  isOurs(): Promise<boolean>
  release(): Promise<void>
}

/** Two processes that break a stale lock at once need two attempts; many more mean that processes compete in a loop. */
const ATTEMPTS = 20

/** Fails with `locked` (the message names the pid), or with the disk's failure. */
export async function acquireLock(
  paths: DataPaths,
  conversationId: string,
  pid: number,
): Promise<Result<ConversationLock>> {
  const lock = paths.lock(conversationId)
  const name = nameOf(await identityOf(pid))
  const draft = join(paths.locks, `.new-${name}`)
  try {
    await makeFolders(paths.locks)
    await removeDraftsOfTheDead(paths.locks)
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const holder = await clearStale(lock)
      if (holder !== null) return fail(lockedBy(holder.pid, pid))
      await makeFolders(draft)
      await writeFile(join(draft, name), '', { mode: FILE_MODE })
      if (await putInPlace(draft, lock)) return ok(heldLock(lock, name))
    }
    return fail({
      type: 'locked',
      message: 'Other programs open this conversation at the same time. Try again.',
    })
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be opened for writing', lock))
  } finally {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** The running process that holds the lock, or null. Changes nothing. */
export async function lockHolder(lock: string): Promise<ProcessIdentity | null> {
  for (const name of await namesIn(lock)) {
    const holder = holderOf(name)
    if (holder && (await isRunning(holder))) return holder
  }
  return null
}

function heldLock(lock: string, name: string): ConversationLock {
  return {
    isOurs: async () => (await namesIn(lock)).includes(name),
    release: async () => {
      await unlink(join(lock, name)).catch(() => undefined)
      // Fails if another process already has the lock.
      await rmdir(lock).catch(() => undefined)
    },
  }
}

/** Removes what dead processes left in the lock. A living holder is returned and left alone. */
async function clearStale(lock: string): Promise<ProcessIdentity | null> {
  for (const name of await namesIn(lock)) {
    const holder = holderOf(name)
    if (holder && (await isRunning(holder))) return holder
    await rm(join(lock, name), { recursive: true, force: true })
  }
  // Windows can't rename onto an empty folder.
  await rmdir(lock).catch(() => undefined)
  return null
}

async function putInPlace(draft: string, lock: string): Promise<boolean> {
  try {
    await rename(draft, lock)
    return true
  } catch (error) {
    const taken = ['ENOTEMPTY', 'EEXIST', ...(process.platform === 'win32' ? ['EPERM', 'EACCES'] : [])]
    if (taken.includes(codeOf(error))) return false
    throw error
  }
}

async function removeDraftsOfTheDead(locks: string): Promise<void> {
  for (const entry of await namesIn(locks)) {
    if (!entry.startsWith('.new-')) continue
    const maker = holderOf(entry.slice('.new-'.length))
    if (!maker || (await isRunning(maker))) continue
    await rm(join(locks, entry), { recursive: true, force: true })
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function nameOf({ pid, start }: ProcessIdentity): string {
  return `${pid}-${start}-${randomHex(4)}`
}

function holderOf(name: string): ProcessIdentity | null {
  const match = /^(\d+)-([A-Za-z0-9.]+)-[0-9a-f]+$/.exec(name)
  return match ? { pid: Number(match[1]), start: match[2] ?? '' } : null
}

function lockedBy(holder: number, pid: number) {
  return {
    type: 'locked',
    message:
      holder === pid
        ? 'This conversation is already open here.'
        : `Another program (process ${holder}) runs this conversation. It can be read here. To continue, close it there.`,
  }
}
