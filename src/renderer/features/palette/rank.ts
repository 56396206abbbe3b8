/** Ranks the entries of the palette: prefixes first, then word starts, then letters in order. */

/** Higher is better; null: no match. */
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
  if (at > 0) return startsWord(text, at) ? 80 : 50
  return scoreScattered(text, word)
}

/** Matches letters in order, near each other and from the start of a word: "stp" matches "Stop", "math" does not match "terminal in the folder". */
function scoreScattered(text: string, word: string): number | null {
  for (
    let start = text.indexOf(word[0] ?? '');
    start !== -1;
    start = text.indexOf(word[0] ?? '', start + 1)
  ) {
    if (!startsWord(text, start)) continue
    let end = start
    for (const letter of word.slice(1)) {
      end = text.indexOf(letter, end + 1)
      if (end === -1) break
    }
    const gaps = end - start + 1 - word.length
    if (end !== -1 && gaps <= word.length) return 30 - gaps
  }
  return null
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[\s/\-_.]/.test(text[at - 1] ?? '')
}

export interface Ranked<T> {
  readonly items: readonly T[]
  /** The score of the first item, to order the lists. */
  readonly top: number
}

interface RankOptions<T> {
  readonly query: string
  readonly limit: number
  readonly textOf: (item: T) => string
}

/** The best matches, best first; without a query the first items in their order. */
export function rank<T>(items: readonly T[], { query, limit, textOf }: RankOptions<T>): Ranked<T> {
  if (query.trim() === '') return { items: items.slice(0, limit), top: 0 }
  const scored: { readonly item: T; readonly score: number }[] = []
  for (const item of items) {
    const score = scoreText(textOf(item), query)
    if (score !== null) scored.push({ item, score })
  }
  scored.sort((a, b) => b.score - a.score)
  return { items: scored.slice(0, limit).map(({ item }) => item), top: scored[0]?.score ?? 0 }
}
