/**
 * Removes a worktree in steps. The process may die after each step: the next start finds the remains by their name
 * and either puts them back or removes them.
 */
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeWorktreeEntry } from '../../platform/git/worktree-entry.ts'
import { exists } from '../../platform/system/exists.ts'
import { removeExcludes } from './worktree-excludes.ts'

/** The path of a worktree while it is being removed. */
const asideOf = (path: string): string => join(dirname(path), `.gone-${basename(path)}`)

/**
 * Renames the folder, so that no program reaches it by its path. Throws errors of the disk, and where an earlier folder
 * that could not be put back is still there.
 */
export async function putAside(path: string): Promise<string> {
  const aside = asideOf(path)
  if (!(await exists(path))) return aside
  if (await exists(aside)) throw new Error(`its earlier content is in ${aside}: move that back, or remove it`)
  await rename(path, aside)
  return aside
}

/** Deletes the folder that was put aside. Throws errors of the disk. */
export const removeAside = (path: string): Promise<void> => removeFolder(asideOf(path))

/** Undoes `putAside` of a process that died. False: nothing was put aside, or the path is taken. */
export async function putBack(path: string): Promise<boolean> {
  if (await exists(path)) return false
  return rename(asideOf(path), path).then(
    () => true,
    () => false,
  )
}

/** Removes everything of a worktree but its branch and its record. Missing parts are skipped. Throws errors of the disk. */
export async function removeRemains(commonFolder: string, path: string): Promise<void> {
  await removeWorktreeEntry(commonFolder, path)
  await removeExcludes(path)
  await removeAside(path)
  await putAside(path)
  await removeAside(path)
}

/** Retries, because a program that writes into the folder meanwhile makes one pass fail. */
const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
