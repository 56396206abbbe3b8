/** Removes lock files that a dead git process left on a worktree or its branch. */
import { readdir, readlink, stat, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { branchRef } from '../../platform/git/branches.ts'
import { type GitResult, gitReason } from '../../platform/git/git-failure.ts'
import { worktreeEntryOf } from '../../platform/git/worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'

type LockedWorktree = Pick<WorktreeRecord, 'path' | 'commonFolder' | 'branch'>

/** ms. The lock retries of the first attempt: a living process releases its lock within this time. */
export const SHORT_WAITS = [10, 50, 100, 200, 400]

/** Runs `act`. If a lock blocks it, removes the lock where no process holds it, then runs `again`. */
export async function withoutStaleLock<T>(
  worktree: LockedWorktree,
  act: () => Promise<GitResult<T>>,
  again: () => Promise<GitResult<T>> = act,
): Promise<GitResult<T>> {
  const done = await act()
  if (done.ok || gitReason(done.failure) !== 'lock-held') return done
  await removeStaleLocks(worktree)
  return again()
}

async function removeStaleLocks({ path, commonFolder, branch }: LockedWorktree): Promise<void> {
  const entry = await worktreeEntryOf(commonFolder, path)
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

/** Whether a process works in one of these folders or has a file open there. True where the system can't tell. */
async function isInUse(folders: readonly string[]): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const isWithin = (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(folder + sep))
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const links = [`/proc/${pid}/cwd`]
    for (const descriptor of await readdir(`/proc/${pid}/fd`).catch(() => []))
      links.push(`/proc/${pid}/fd/${descriptor}`)
    const paths = await Promise.all(links.map((link) => readlink(link).catch(() => '')))
    if (paths.some(isWithin)) return true
  }
  return false
}
