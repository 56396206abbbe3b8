/**
 * Paths into the checkouts that mean an agent's worktree, translated into it. Pure: links are not followed, and
 * upper and lower case differ; what is missed lies outside of the worktree and is asked about.
 */
import { isAbsolute, parentOf, pathBelow, resolvePath, rootOf } from '../permissions/paths.ts'

/** The worktree, and the tops of the checkouts whose paths mean it. */
export interface TranslationPlace {
  /** The top of the worktree. */
  readonly path: string
  readonly aliases: readonly string[]
}

/**
 * The path in the worktree, as an absolute one without `.` and `..`, with its last slash. A path stays as it is
 * where it is relative, leads into no such checkout, or leads into this worktree or one beside it already.
 */
export function translatePath(path: string, place: TranslationPlace): string {
  if (!isAbsolute(path)) return path
  const whole = resolvePath('/', path)
  const top = topOf(whole, place)
  if (top === null) return path
  const below = pathBelow(top, whole)
  const translated = below === '.' || below === null ? place.path : `${place.path}/${below}`
  return /[\\/]$/.test(path) ? `${translated}/` : translated
}

/** The checkout that a path lies in, the innermost one; null: none, or it is in a worktree of an agent already. */
function topOf(path: string, place: TranslationPlace): string | null {
  const [top] = translatableTops(place).filter((alias) => pathBelow(alias, path) !== null)
  if (top === undefined) return null
  const isInOrBesideIt = pathBelow(parentOf(place.path), path) !== null
  return isInOrBesideIt && pathBelow(top, place.path) !== null ? null : top
}

/** Longest first. The top of a file system means nothing in particular. */
export function translatableTops({ aliases }: Pick<TranslationPlace, 'aliases'>): readonly string[] {
  return [...new Set(aliases.filter(isAbsolute).map((alias) => resolvePath(alias, '.')))]
    .filter((alias) => alias !== rootOf(alias))
    .sort((one, other) => other.length - one.length)
}
