/** Ranks what the palette finds: whole words first, then beginnings of words, then letters in order. */

/** Higher is better; null: it does not fit. */
export function scoreText(text: string, query: string): number | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const lower = text.toLowerCase()
  let score = 0
  for (const word of words) {
    const found = scoreWord(lower, word)
    if (found === null) return null
    score += found
  }
  return score - lower.length / 1000
}

function scoreWord(text: string, word: string): number | null {
  const at = text.indexOf(word)
  if (at === 0) return 100
  if (at > 0) return /[\s/\-_.]/.test(text[at - 1] ?? '') ? 80 : 50
  let from = 0
  let gaps = 0
  for (const letter of word) {
    const next = text.indexOf(letter, from)
    if (next === -1) return null
    gaps += from === 0 ? 0 : next - from
    from = next + 1
  }
  return Math.max(1, 30 - gaps)
}

/** The best of a list, best first; without a query the first ones as they are. */
export function best<T>(
  items: readonly T[],
  query: string,
  limit: number,
  textOf: (item: T) => string,
): readonly T[] {
  if (query.trim() === '') return items.slice(0, limit)
  const scored: { readonly item: T; readonly score: number }[] = []
  for (const item of items) {
    const score = scoreText(textOf(item), query)
    if (score !== null) scored.push({ item, score })
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ item }) => item)
}
