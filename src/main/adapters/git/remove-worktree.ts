/**
 * Removes a worktree in steps, each of which may be the last one before the process dies: what is left is found
 * again by its name, and either put back or cleared away.
 */
import { rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeEntry } from './worktree-entry.ts'
import { removeExcludes } from './worktree-excludes.ts'

/** Where a worktree lies while it is taken away. */
const asideOf = (path: string): string => join(dirname(path), `.gone-${basename(path)}`)

/**
 * In one step the folder is out of reach of whoever knows its path. What was put aside before and could not be
 * put back is never taken for rubbish. Throws that, and what the disk says.
 */
export async function putAside(path: string): Promise<string> {
  const aside = asideOf(path)
  if (!(await exists(path))) return aside
  if (await exists(aside))
    throw new Error(`what it held before lies in ${aside}: bring that back, or remove it`)
  await rename(path, aside)
  return aside
}

/** What was put aside and is not needed any more. Throws what the disk says. */
export const removeAside = (path: string): Promise<void> => removeFolder(asideOf(path))

/** What was put aside by a process that died before it was sure is there again. False: there is nothing, or no room. */
export async function putBack(path: string): Promise<boolean> {
  if (await exists(path)) return false
  return rename(asideOf(path), path).then(
    () => true,
    () => false,
  )
}

/** All of it but its branch and its record; what is gone already doesn't matter. Throws what the disk says. */
export async function removeRemains(commonFolder: string, path: string): Promise<void> {
  await removeEntry(commonFolder, path)
  await removeExcludes(path)
  await removeAside(path)
  await putAside(path)
  await removeAside(path)
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Programs that write in it while it goes make one pass fail. */
const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
