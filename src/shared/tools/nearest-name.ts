/** Finds the name that a misspelled one probably means. */

import { isToolOfOtherProgram } from './other-programs-tools.ts'

/** The best candidate: one that contains the name or is contained in it, or differs by at most two letters. Case, hyphens and underscores do not count. Else null. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const wanted = spelled(name)
  const [best] = spellings(names)
    .map((other) => ({ other: other.name, distance: distanceTo(wanted, other) }))
    .filter(({ distance }) => distance <= Math.min(2, wanted.letters.length / 2))
    .sort((one, two) => one.distance - two.distance)
  return best?.other ?? null
}

interface Spelling {
  readonly name: string
  readonly letters: string
  /** A bit for each letter that it has. */
  readonly bits: number
}

function spelled(name: string): Spelling {
  const letters = lettersOf(name)
  let bits = 0
  for (let at = 0; at < letters.length; at++) bits |= 1 << (letters.charCodeAt(at) & 31)
  return { name, letters, bits }
}

/** The same list is searched for every unknown name of every file. */
const known = new WeakMap<readonly string[], readonly Spelling[]>()

function spellings(names: readonly string[]): readonly Spelling[] {
  const before = known.get(names)
  if (before?.length === names.length) return before
  const found = names.map(spelled)
  known.set(names, found)
  return found
}

/** The tool that a misspelled name probably means. A part of a longer name says little: `search` is not WebSearch. */
export function nearestTool(name: string, tools: readonly string[]): string | null {
  const nearest = isToolOfOtherProgram(name) ? null : nearestName(name, tools)
  if (nearest === null) return null
  const [wanted, meant] = [lettersOf(name), lettersOf(nearest)]
  return wanted.startsWith(meant) || editDistance(wanted, meant) <= 2 ? nearest : null
}

function distanceTo(wanted: Spelling, other: Spelling): number {
  const [a, b] = [wanted.letters, other.letters]
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  const isPart = shorter.length >= 4 && longer.includes(shorter)
  if (isPart) return Math.min(1.5, editDistance(a, b))
  // Most names differ by more than two letters in length alone, or have more than four letters that the other has not.
  const isFar = longer.length - shorter.length > 2 || bitCount(wanted.bits ^ other.bits) > 4
  return isFar ? Number.POSITIVE_INFINITY : editDistance(a, b)
}

function bitCount(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
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
