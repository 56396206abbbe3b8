/**
 * A worktree's entry in git: the folder below `<common folder>/worktrees/`. Ours are looked for and removed one
 * by one; nobody else's are ever touched, as `git worktree prune` would.
 */
import { access, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** The entry of the worktree at a path; null: git knows none of that path. */
export async function entryOf(commonFolder: string, path: string): Promise<string | null> {
  const folder = join(commonFolder, 'worktrees')
  const usual = join(folder, basename(path))
  if (await pointsTo(usual, path)) return usual
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const entry = join(folder, name)
    if (entry !== usual && (await pointsTo(entry, path))) return entry
  }
  return null
}

/** Whether the worktree names its entry: without that, git finds nothing from within it. */
export async function isJoined(entry: string, path: string): Promise<boolean> {
  const text = await readFile(join(path, '.git'), 'utf8').catch(() => '')
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]?.trim()
  if (named === undefined) return false
  const real = (place: string) => realpath(place).catch(() => null)
  return (await real(resolve(path, named))) === (await real(entry))
}

/** Also one that was cut off while it was made or removed, and names no worktree. */
export async function removeEntry(commonFolder: string, path: string): Promise<void> {
  const entry = (await entryOf(commonFolder, path)) ?? (await remainsOf(commonFolder, path))
  if (entry !== null) await rm(entry, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

/** Whether a person or an agent locked it: then it stays. Git's own lock while it makes one doesn't count. */
export async function isLocked(entry: string): Promise<boolean> {
  const reason = await readFile(join(entry, 'locked'), 'utf8').catch(() => null)
  return reason !== null && reason.trim() !== 'initializing'
}

/** What a command of git left unfinished in a worktree, and submodules that have work of their own. */
const UNFINISHED = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'modules',
]

export async function hasUnfinished(entry: string): Promise<boolean> {
  const names = await readdir(entry).catch(() => UNFINISHED)
  return names.some((name) => UNFINISHED.includes(name))
}

async function pointsTo(entry: string, path: string): Promise<boolean> {
  const text = (await readFile(join(entry, 'gitdir'), 'utf8').catch(() => '')).trim()
  if (text === '') return false
  const named = resolve(entry, text)
  if (named === join(path, '.git')) return true
  return basename(named) === '.git' && (await realpath(dirname(named)).catch(() => null)) === path
}

async function remainsOf(commonFolder: string, path: string): Promise<string | null> {
  const usual = join(commonFolder, 'worktrees', basename(path))
  const isThere = (place: string) =>
    access(place).then(
      () => true,
      () => false,
    )
  return (await isThere(usual)) && !(await isThere(join(usual, 'gitdir'))) ? usual : null
}
