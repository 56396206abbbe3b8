/** Paths of settings and limits as the sandbox mounts them: absolute, existing, with links resolved. */
import { lstatSync, realpathSync } from 'node:fs'

/** The path with its links resolved, or as it is where nothing is there. */
export function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** The paths that exist, links resolved. */
export function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(real))].filter((path) => !isMissing(path))
}

export const isMissing = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) === undefined

/** A path of the settings: `~` stands for the home. */
export const fromHome = (path: string, home: string): string => path.replace(/^~(?=\/|$)/, home)
