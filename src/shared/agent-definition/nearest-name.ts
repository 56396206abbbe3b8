/** Finds the name that a misspelled one probably means. */

import { isToolOfOtherProgram } from './other-programs-tools.ts'

/** The best candidate: one that contains the name or is contained in it, or differs by at most two letters. Case, hyphens and underscores do not count. Else null. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const wanted = lettersOf(name)
  const [best] = names
    .map((other) => ({ other, distance: distanceTo(wanted, lettersOf(other)) }))
    .filter(({ distance }) => distance <= Math.min(2, wanted.length / 2))
    .sort((one, two) => one.distance - two.distance)
  return best?.other ?? null
}

/** The tool that a misspelled name probably means. A part of a longer name says little: `search` is not WebSearch. */
export function nearestTool(name: string, tools: readonly string[]): string | null {
  const nearest = isToolOfOtherProgram(name) ? null : nearestName(name, tools)
  if (nearest === null) return null
  const [wanted, meant] = [lettersOf(name), lettersOf(nearest)]
  return wanted.startsWith(meant) || editDistance(wanted, meant) <= 2 ? nearest : null
}

function distanceTo(wanted: string, other: string): number {
  const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted]
  const isPart = shorter.length >= 4 && longer.includes(shorter)
  if (isPart) return Math.min(1.5, editDistance(wanted, other))
  // Called for every tool at each spawn, and most names differ by more in length alone.
  return longer.length - shorter.length > 2 ? Number.POSITIVE_INFINITY : editDistance(wanted, other)
}

/**
 * Whether a name is probably a misspelling of the other: another case or separator, or one letter added, missing,
 * changed or swapped. A short name begins with the right letter; in names from eight letters, two may be wrong.
 */
export function isTypo(name: string, other: string): boolean {
  const [given, meant] = [lettersOf(name), lettersOf(other)]
  const shorter = Math.min(given.length, meant.length)
  if (Math.abs(given.length - meant.length) > 2 || shorter < 3) return given === meant
  if (shorter < 8) return given[0] === meant[0] && editDistance(given, meant) <= 1
  return editDistance(given, meant) <= 2
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

/** The number of letters to add, drop, change or swap with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
