/** The lock that a dead git left on a worktree's index: it is removed once it is certain that nobody holds it. */
import { readdir, readlink, stat, unlink } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Result } from '../../../shared/result.ts'
import { isLockHeld } from './patient-git.ts'
import { entryOf } from './worktree-entry.ts'

/** Does it, and once more where only such a lock was in the way. */
export async function withoutStaleLock<T>(
  worktree: { readonly path: string; readonly commonFolder: string },
  act: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const done = await act()
  if (done.ok || !isLockHeld(done.failure.message)) return done
  return (await removeStaleLock(worktree)) ? act() : done
}

async function removeStaleLock({
  path,
  commonFolder,
}: {
  readonly path: string
  readonly commonFolder: string
}): Promise<boolean> {
  const entry = await entryOf(commonFolder, path)
  if (entry === null) return false
  const lock = join(entry, 'index.lock')
  const before = await stat(lock).catch(() => null)
  if (before === null || (await isInUse([path, entry]))) return false
  const now = await stat(lock).catch(() => null)
  if (now === null || now.ino !== before.ino || now.mtimeMs !== before.mtimeMs) return false
  return unlink(lock).then(
    () => true,
    () => false,
  )
}

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
