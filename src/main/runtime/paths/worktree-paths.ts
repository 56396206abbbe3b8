/**
 * Translates paths from an agent's checkouts into its worktree. Pure: links are not followed, and case matters. A path
 * that is missed is outside the worktree, so it needs permission.
 */
import { isAbsolute, parentOf, pathBelow, resolvePath, rootOf } from './paths.ts'

/** The worktree, and the top folders of the checkouts whose paths mean the worktree. */
export interface TranslationPlace {
  /** The top of the worktree. */
  readonly path: string
  readonly aliases: readonly string[]
}

/**
 * The absolute path in the worktree without `.` and `..`, with its trailing slash. A relative path, a path outside those
 * checkouts, and a path into a worktree of an agent stay unchanged.
 */
export function translatePath(path: string, location: TranslationPlace): string {
  if (!isAbsolute(path)) return path
  const whole = resolvePath('/', path)
  const top = topOf(whole, location)
  if (top === null) return path
  const below = pathBelow(top, whole)
  const translated = below === '.' || below === null ? location.path : `${location.path}/${below}`
  return /[\\/]$/.test(path) ? `${translated}/` : translated
}

/** The innermost checkout that holds the path; null for none, and for a path in a worktree of an agent. */
function topOf(path: string, location: TranslationPlace): string | null {
  const [top] = translatableTops(location).filter((alias) => pathBelow(alias, path) !== null)
  if (top === undefined) return null
  const isInOrBesideIt = pathBelow(parentOf(location.path), path) !== null
  return isInOrBesideIt && pathBelow(top, location.path) !== null ? null : top
}

/** Longest first. The root of a file system is no checkout. */
export function translatableTops({ aliases }: Pick<TranslationPlace, 'aliases'>): readonly string[] {
  return [...new Set(aliases.filter(isAbsolute).map((alias) => resolvePath(alias, '.')))]
    .filter((alias) => alias !== rootOf(alias))
    .sort((one, other) => other.length - one.length)
}
