/**
 * Whether a folder is trusted now. The folder's links are resolved at each question, so a folder that was replaced by a
 * link to elsewhere has lost its trust. A worktree that this program made is as trusted as the checkout it came from.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type WorktreeLocation, worktreeLocation } from '../../../shared/worktrees/worktree.ts'
import { realFolderOf } from './real-folder.ts'

export interface FolderTrustOptions {
  readonly settings: { readonly current: { readonly trustedFolders: readonly string[] } }
  /** The user's home folder. */
  readonly home: string
  readonly dataFolder: string
}

/** @returns whether a folder is trusted now */
export function createFolderTrust({ settings, home, dataFolder }: FolderTrustOptions) {
  const realHome = realFolderOf(home) ?? home
  return (folder: string): boolean => {
    const real = realFolderOf(folder)
    if (real === null) return false
    const { trustedFolders } = settings.current
    if (isCovered(trustedFolders, real, realHome)) return true
    const worktree = ownWorktreeAround(real, dataFolder)
    return worktree !== null && isCovered(trustedFolders, worktree.from, realHome)
  }
}

/**
 * The worktree of this program that contains a path, and the checkout that it was made from. Only its record says so,
 * because agents can't write it; what the folder says about itself does not count.
 */
export function ownWorktreeAround(
  real: string,
  dataFolder: string,
): Pick<WorktreeLocation, 'path' | 'from'> | null {
  const worktrees = realFolderOf(join(dataFolder, 'worktrees'))
  if (worktrees === null) return null
  for (let here = real; dirname(here) !== here; here = dirname(here)) {
    // `<data folder>/worktrees/<repository>/<id>`
    if (dirname(dirname(here)) !== worktrees) continue
    try {
      const read = worktreeLocation.safeParse(JSON.parse(readFileSync(`${here}.json`, 'utf8')))
      return read.success && read.data.path === here ? read.data : null
    } catch {
      return null
    }
  }
  return null
}

/**
 * Whether a folder is one of the trusted folders or inside one. `/repo-evil` is not inside `/repo`. A trusted home
 * folder, or a folder above it, covers only itself: otherwise each later download would be trusted.
 */
export function isCovered(trusted: readonly string[], folder: string, home: string): boolean {
  return trusted.some((each) => {
    const entry = withoutEndSlash(each)
    return folder === entry || (!isWithin(entry, home) && isWithin(entry, folder))
  })
}

/** Whether a path is the folder or below it. */
function isWithin(folder: string, path: string): boolean {
  const slash = folder.startsWith('/') ? '/' : '\\'
  return path === folder || path.startsWith(folder.endsWith(slash) ? folder : `${folder}${slash}`)
}

const withoutEndSlash = (path: string): string =>
  path.length > 1 ? path.replace(/(?<![:])[/\\]$/, '') : path
