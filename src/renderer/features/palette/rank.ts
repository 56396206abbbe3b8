/** Ranks the entries of the palette: whole titles and keywords, then prefixes, word starts, and letters in order. */

/** The texts that find an entry. */
interface RankedText {
  readonly title: string
  /** Other words that find the entry. A query that is one of them counts almost as much as the whole title. */
  readonly keywords?: string | undefined
  /** The agent or folder that a command is for: its name alone finds the command, behind the agent itself. */
  readonly subject?: string | undefined
}

/** From this score on, a query names a command: it matches a title or a keyword at the start of a word. */
export const NAMED = 70

/** Higher is better; null: no match. */
function scoreText({ title, keywords = '', subject = '' }: RankedText, query: string): number | null {
  const wanted = query.trim().toLowerCase()
  const words = wanted.split(/\s+/).filter(Boolean)
  const [inTitle, inKeywords, inSubject] = [title, keywords, subject].map((text) => text.toLowerCase())
  if (inTitle === undefined || inKeywords === undefined || inSubject === undefined) return null
  if (inTitle.replace(/…$/, '') === wanted) return 120
  if (subject === '' && inKeywords.split(' ').includes(wanted)) return 110
  let sum = 0
  for (const word of words) {
    const found = Math.max(
      scoreWord(inTitle, word),
      scoreWord(inKeywords, word) - 10,
      scoreWord(inSubject, word) / 2,
    )
    if (found <= 0) return null
    sum += found
  }
  return sum / Math.max(1, words.length)
}

function scoreWord(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at === 0) return 100
  if (at > 0) return wordStart(text, word) ? 80 : 50
  return scoreScattered(text, word)
}

function wordStart(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1))
    if (startsWord(text, at)) return true
  return false
}

/** Matches letters in order, near each other and from the start of a word: "stp" matches "Stop", "math" does not match "terminal in the folder". 0: no match. */
function scoreScattered(text: string, word: string): number {
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
  return 0
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[\s/\-_.]/.test(text[at - 1] ?? '')
}

interface Ranked<T> {
  readonly items: readonly T[]
  /** The score of the first item, to order the lists. */
  readonly top: number
}

interface RankOptions<T> {
  readonly query: string
  readonly limit: number
  readonly textOf: (item: T) => RankedText
}

/** The best matches, best first, equal ones in their order; without a query the first items in their order. */
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
