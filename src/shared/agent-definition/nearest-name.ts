/** Finds the name that a misspelled one probably means. */

/** The best candidate: one that contains the name or is contained in it, or differs by at most two letters. Case, hyphens and underscores do not count. Else null. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const wanted = messagesOf(name)
  const [best] = names
    .map((other) => ({ other, distance: distanceTo(wanted, messagesOf(other)) }))
    .filter(({ distance }) => distance <= Math.min(2, wanted.length / 2))
    .sort((one, two) => one.distance - two.distance)
  return best?.other ?? null
}

function distanceTo(wanted: string, other: string): number {
  const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted]
  const isPart = shorter.length >= 4 && longer.includes(shorter)
  if (isPart) return Math.min(1.5, editDistance(wanted, other))
  // Called for every tool at each spawn, and most names differ by more in length alone.
  return longer.length - shorter.length > 2 ? Number.POSITIVE_INFINITY : editDistance(wanted, other)
}

const messagesOf = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

/** The number of letters to add, drop or change (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      )
    row = next
  }
  return row[b.length] ?? 0
}
