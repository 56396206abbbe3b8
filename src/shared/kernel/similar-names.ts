/** Suggests existing names for an unknown name. */

/** Up to `most` similar names, best first. */
export function similarNames(name: string, names: readonly string[], most = 3): readonly string[] {
  const wanted = name.toLowerCase()
  return names
    .map((other) => ({ other, distance: distanceTo(wanted, other.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, Math.floor(wanted.length / 3)))
    .toSorted((one, two) => one.distance - two.distance || (one.other < two.other ? -1 : 1))
    .slice(0, most)
    .map(({ other }) => other)
}

/** 0: equal except for case; 1: equal except for the extension or an affix; otherwise the edit distance. */
function distanceTo(wanted: string, other: string): number {
  if (wanted === other) return 0
  if (stemOf(wanted) === stemOf(other)) return 1
  const [shorter, longer] = wanted.length < other.length ? [wanted, other] : [other, wanted]
  if (stemOf(shorter).length >= 3 && stemOf(longer).includes(stemOf(shorter))) return 1.5
  return lettersToChange(wanted, other)
}

function stemOf(name: string): string {
  const dot = name.indexOf('.', 1)
  return dot === -1 ? name : name.slice(0, dot)
}

/** Letters to add, remove, change, or swap with their neighbor. */
function lettersToChange(one: string, other: string): number {
  let before: readonly number[] = []
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const now = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      now[column] = Math.min(
        (now[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = now
  }
  return last[other.length] ?? 0
}
