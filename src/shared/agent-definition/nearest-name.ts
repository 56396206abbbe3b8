/** The name that somebody may have meant who wrote another. */

/** Case, hyphens and underscores aside: one that contains it or is contained in it, or is at most two letters away. Else null. */
export function nearestName(name: string, names: readonly string[]): string | null {
  const wanted = lettersOf(name)
  const [best] = names
    .map((other) => ({ other, distance: distanceTo(wanted, lettersOf(other)) }))
    .filter(({ distance }) => distance <= Math.min(2, wanted.length / 2))
    .sort((one, two) => one.distance - two.distance)
  return best?.other ?? null
}

function distanceTo(wanted: string, other: string): number {
  const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted]
  const isPart = shorter.length >= 4 && longer.includes(shorter)
  if (isPart) return Math.min(1.5, editDistance(wanted, other))
  // It is asked about every tool at each spawn, and most differ by more in length alone.
  return longer.length - shorter.length > 2 ? Number.POSITIVE_INFINITY : editDistance(wanted, other)
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '')

/** How many letters must be added, dropped or changed (Levenshtein). */
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
