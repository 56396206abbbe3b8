/** Ranks files for a typed query. */

/**
 * The paths that contain every word of the query, best match first. A word counts more in the file name than
 * in a folder, and more at a word's beginning than inside; among equals the shorter path wins.
 *
 * @param paths relative, with `/`. An empty query keeps their order.
 */
export function rankFiles(paths: readonly string[], query: string, limit: number): readonly string[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return paths.slice(0, limit)
  const found: { readonly path: string; readonly score: number }[] = []
  for (const path of paths) {
    const score = scoreOf(path.toLowerCase(), words)
    if (score !== null) found.push({ path, score })
  }
  return found
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path)
}

/** The sum over all words, or null if a word is missing. */
function scoreOf(path: string, words: readonly string[]): number | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  let score = 0
  for (const word of words) {
    const one = wordScore(path, name, word)
    if (one === null) return null
    score += one
  }
  return score
}

function wordScore(path: string, name: string, word: string): number | null {
  if (name === word) return 100
  if (name.startsWith(word)) return 80
  if (name.includes(word)) return 60
  if (path.includes(word)) return 40
  if (holdsInOrder(name, word)) return 20
  return holdsInOrder(path, word) ? 10 : null
}

/** Whether all letters occur in this order, as in `dstr` for `delta-stream`. */
function holdsInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at)
    if (at === -1) return false
    at += letter.length
  }
  return true
}
