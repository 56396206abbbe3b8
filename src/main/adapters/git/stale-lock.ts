/** Locks that a dead git left on a worktree or its branch: they are removed once it is certain that nobody holds them. */
import { readdir, readlink, stat, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Result } from '../../../shared/result.ts'
import { branchRef } from './branch-ref.ts'
import { isLockHeld } from './patient-git.ts'
import { entryOf } from './worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'

type LockedWorktree = Pick<WorktreeRecord, 'path' | 'commonFolder' | 'branch'>

/** ms, for a git that comes before: whoever lives lets go within that, or is seen to work there. */
export const SHORT_WAITS = [10, 50, 100, 200, 400]

/** Does it; where a lock was in the way, once more without it if it was nobody's. */
export async function withoutStaleLock<T>(
  worktree: LockedWorktree,
  act: () => Promise<Result<T>>,
  again: () => Promise<Result<T>> = act,
): Promise<Result<T>> {
  const done = await act()
  if (done.ok || !isLockHeld(done.failure.message)) return done
  await removeStaleLocks(worktree)
  return again()
}

async function removeStaleLocks({ path, commonFolder, branch }: LockedWorktree): Promise<void> {
  const entry = await entryOf(commonFolder, path)
  if (entry === null) return
  const locks = [
    join(entry, 'index.lock'),
    join(entry, 'HEAD.lock'),
    join(commonFolder, `${branchRef(branch)}.lock`),
  ]
  const before = await Promise.all(locks.map(stampOf))
  if (await isInUse([path, entry, ...locks])) return
  for (const [index, lock] of locks.entries()) {
    const stamp = before[index] ?? null
    if (stamp !== null && stamp === (await stampOf(lock))) await unlink(lock).catch(() => undefined)
  }
}

const stampOf = (path: string): Promise<string | null> =>
  stat(path).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => null,
  )

/** Whether a process works in one of these folders or has a file open there. Where the system doesn't tell: yes. */
async function isInUse(folders: readonly string[]): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const within = (place: string) =>
    folders.some((folder) => place === folder || place.startsWith(folder + sep))
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const links = [`/proc/${pid}/cwd`]
    for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => []))
      links.push(`/proc/${pid}/fd/${descriptor}`)
    const places = await Promise.all(links.map((link) => readlink(link).catch(() => '')))
    if (places.some(within)) return true
  }
  return false
}
