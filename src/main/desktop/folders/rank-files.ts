/** Finds the files that a few typed letters mean. */

/**
 * The paths that hold all words, the best first: words in the file's own name count more than words in its
 * folders, whole beginnings more than what is inside, and of equals the shorter path is meant.
 *
 * @param paths relative, with `/`; without words the order stays as it is
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

/** The sum over all words, or null where one is missing. */
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

/** Whether all letters are there in this order, as in `dstr` for `delta-stream`. */
function holdsInOrder(text: string, letters: string): boolean {
  let at = 0
  for (const letter of letters) {
    at = text.indexOf(letter, at)
    if (at === -1) return false
    at += letter.length
  }
  return true
}
