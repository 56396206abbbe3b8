/**
 * A worktree's entry in git: a folder in `<common folder>/worktrees/`. Entries are removed one by one, because
 * `git worktree prune` also removes entries of other programs.
 */
import { readdir, readFile, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { exists } from '../system/exists.ts'

/** The entry of the worktree at a path; null: git has no such entry. */
export async function worktreeEntryOf(commonFolder: string, path: string): Promise<string | null> {
  const folder = join(commonFolder, 'worktrees')
  const expected = join(folder, basename(path))
  if (await pointsTo(expected, path)) return expected
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const entry = join(folder, name)
    if (entry !== expected && (await pointsTo(entry, path))) return entry
  }
  return null
}

/** Whether the worktree's `.git` file names its entry. Without that, git finds no repository from the worktree. */
export async function isJoined(entry: string, path: string): Promise<boolean> {
  const text = await readFile(join(path, '.git'), 'utf8').catch(() => '')
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]?.trim()
  if (named === undefined) return false
  const real = (folder: string) => realpath(folder).catch(() => null)
  return (await real(resolve(path, named))) === (await real(entry))
}

/** Also removes an entry that names no worktree, because its creation or removal was interrupted. */
export async function removeWorktreeEntry(commonFolder: string, path: string): Promise<void> {
  const entry = (await worktreeEntryOf(commonFolder, path)) ?? (await remainsOf(commonFolder, path))
  if (entry !== null) await rm(entry, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

/** Whether a user or an agent locked the worktree. Git's own lock during its creation doesn't count. */
export async function isLocked(entry: string): Promise<boolean> {
  const reason = await readFile(join(entry, 'locked'), 'utf8').catch(() => null)
  return reason !== null && reason.trim() !== 'initializing'
}

/** Files of unfinished git commands, and `modules` for submodules, which may hold work. */
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
  const expected = join(commonFolder, 'worktrees', basename(path))
  return (await exists(expected)) && !(await exists(join(expected, 'gitdir'))) ? expected : null
}
