/** Parses git's output: counts, commits, quoted paths, and the first line that a commit added. */

/** A line of `uniq -c`: `   12 src/a.ts`. */
export function countedLines(
  lines: readonly string[],
): readonly { readonly count: number; readonly text: string }[] {
  return lines.flatMap((line) => {
    const match = /^\s*(\d+) (.+)$/.exec(line)
    return match ? [{ count: Number(match[1]), text: match[2] ?? '' }] : []
  })
}

interface Commit {
  readonly hash: string
  readonly date: string
  readonly author: string
  readonly subject: string
}

/** The log format that `commitIn` parses. */
export const COMMIT_FORMAT = '%h%x09%ad%x09%an%x09%s'

export function commitIn(line: string): Commit | null {
  const [hash, date, author, ...subject] = line.split('\t')
  if (hash === undefined || !/^[0-9a-f]{4,64}$/.test(hash) || date === undefined || author === undefined)
    return null
  return { hash, date, author, subject: subject.join('\t') }
}

/** Unquotes a path: git quotes unusual names byte by byte. */
export function plainPath(written: string): string {
  const inner = /^"(.*)"$/s.exec(written)?.[1]
  if (inner === undefined) return written
  const bytes: number[] = []
  for (const [part] of inner.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (!part.startsWith('\\')) bytes.push(...new TextEncoder().encode(part))
    else if (part.length === 4) bytes.push(Number.parseInt(part.slice(1), 8))
    else bytes.push(ESCAPED[part[1] ?? ''] ?? part.charCodeAt(1))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const ESCAPED: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** The first non-empty line that a patch without context adds, with its line number. */
export function firstAdded(
  patch: readonly string[],
): { readonly line: number; readonly text: string } | null {
  let line = 0
  for (const row of patch) {
    const header = /^@@ -\S+ \+(\d+)/.exec(row)
    if (header) line = Number(header[1])
    else if (line > 0 && row.startsWith('+')) {
      if (/[\p{L}\p{N}]/u.test(row)) return { line, text: row.slice(1) }
      line++
    }
  }
  return null
}

/** Quotes a word for a shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
