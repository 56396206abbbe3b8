/** Merges two versions of a text by lines (diff3). Lines that both changed are marked for the user to resolve. */
import { diff3Merge } from 'node-diff3'

export interface MergedText {
  /** Has marks around each conflict. */
  readonly text: string
  /** The number of conflicts. */
  readonly conflicts: number
  readonly marks: ConflictMarks
}

/** Whole lines that occur in none of the texts. */
export interface ConflictMarks {
  readonly mine: string
  readonly between: string
  readonly theirs: string
}

export interface Versions {
  /** The text that both began with. */
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

/**
 * The result has the line endings and the byte-order mark of `mine`.
 * @param marks those of a merge before, which `mine` may still contain
 */
export function mergeTexts(versions: Versions, marks?: ConflictMarks): MergedText {
  const lineEnding = lineEndingOf(versions.mine)
  const hasMark = versions.mine.startsWith('\uFEFF')
  const [base, mine, theirs] = [versions.base, versions.mine, versions.theirs].map((text) => {
    const plain = text.replace(/^\uFEFF/, '')
    return linesOf(lineEndingOf(plain) === lineEnding ? plain : plain.replace(/\r?\n/g, lineEnding))
  }) as [readonly string[], readonly string[], readonly string[]]
  const used = marks ?? marksFor([...base, ...mine, ...theirs])
  const { start, end } = commonEnds([base, mine, theirs])
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end)

  let conflicts = 0
  const merged = diff3Merge(middle(mine), middle(base), middle(theirs)).flatMap(({ ok, conflict }) => {
    if (conflict === undefined) return ok ?? []
    conflicts++
    return [
      ...[used.mine + lineEnding, ...conflict.a].map((line) => ended(line, lineEnding)),
      ...[used.between + lineEnding, ...conflict.b].map((line) => ended(line, lineEnding)),
      used.theirs + lineEnding,
    ]
  })
  const lines = [...mine.slice(0, start), ...merged, ...mine.slice(mine.length - end)]
  return { text: (hasMark ? '\uFEFF' : '') + lines.join(''), conflicts, marks: used }
}

/** Numbers (from 1) of the lines that are still marks or start like one. */
export function markedLines(text: string, marks: ConflictMarks): readonly number[] {
  const { between } = marks
  const [opening, closing] = ['<'.repeat(between.length), '>'.repeat(between.length)]
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.startsWith(opening) || line.startsWith(closing) || line.trimEnd() === between ? [index + 1] : [],
    )
}

/**
 * Lines (from 1) of the frontmatter whose key is there a second time, by their key: two changes of one field are both
 * kept. YAML allows no such file.
 */
export function repeatedKeys(text: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  const [first = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (first.trimEnd() !== '---') return found
  const seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (line.trimEnd() === '---') return found
    const [, key] = /^([^\s#:'"[{-][^:]*?)\s*:(?:\s|$)/.exec(line) ?? []
    if (key === undefined) continue
    if (seen.has(key)) found.set(index + 2, key)
    seen.add(key)
  }
  return new Map()
}

/** Lines with their endings; the last line may have none. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function lineEndingOf(text: string): string {
  const all = text.split('\n').length - 1
  const returns = text.split('\r\n').length - 1
  return returns * 2 > all ? '\r\n' : '\n'
}

function ended(line: string, lineEnding: string): string {
  return line.endsWith('\n') ? line : line + lineEnding
}

/** The number of equal lines at the start and at the end of all texts. */
function commonEnds(texts: readonly (readonly string[])[]): { readonly start: number; readonly end: number } {
  const [first = []] = texts
  const shortest = Math.min(...texts.map((lines) => lines.length))
  let start = 0
  while (start < shortest && texts.every((lines) => lines[start] === first[start])) start++
  let end = 0
  while (end < shortest - start && texts.every((lines) => lines.at(-1 - end) === first.at(-1 - end))) end++
  return { start, end }
}

/** Marks of 7 characters, or longer if a text contains lines that look like marks. */
function marksFor(lines: readonly string[]): ConflictMarks {
  let length = 7
  for (const line of lines) {
    const [run = ''] = /^(?:<+|=+|>+)/.exec(line) ?? []
    if (run.length >= length) length = run.length + 1
  }
  return {
    mine: `${'<'.repeat(length)} mine`,
    between: '='.repeat(length),
    theirs: `${'>'.repeat(length)} on disk`,
  }
}
