/** Puts two versions of a text together, line by line (diff3). Where both changed the same lines, a person decides. */
import { diff3Merge } from 'node-diff3'

export interface MergedText {
  /** With marks around what both changed. */
  readonly text: string
  /** How many places are marked. */
  readonly conflicts: number
  readonly marks: ConflictMarks
}

/** Whole lines, which occur in none of the texts. */
export interface ConflictMarks {
  readonly mine: string
  readonly between: string
  readonly theirs: string
}

/**
 * The result has the line ends of `mine` where the versions differ in nothing else, and its byte-order mark.
 */
export function mergeTexts(versions: {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}): MergedText {
  const lineEnd = lineEndOf(versions.mine)
  const hasMark = versions.mine.startsWith('\uFEFF')
  const [base, mine, theirs] = [versions.base, versions.mine, versions.theirs].map((text) => {
    const plain = text.replace(/^\uFEFF/, '')
    return linesOf(lineEndOf(plain) === lineEnd ? plain : plain.replace(/\r?\n/g, lineEnd))
  }) as [readonly string[], readonly string[], readonly string[]]
  const marks = marksFor([...base, ...mine, ...theirs])
  const { start, end } = commonEnds([base, mine, theirs])
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end)

  let conflicts = 0
  const merged = diff3Merge(middle(mine), middle(base), middle(theirs)).flatMap(({ ok, conflict }) => {
    if (conflict === undefined) return ok ?? []
    conflicts++
    return [
      ...[marks.mine + lineEnd, ...conflict.a].map((line) => closed(line, lineEnd)),
      ...[marks.between + lineEnd, ...conflict.b].map((line) => closed(line, lineEnd)),
      marks.theirs + lineEnd,
    ]
  })
  const lines = [...mine.slice(0, start), ...merged, ...mine.slice(mine.length - end)]
  return { text: (hasMark ? '\uFEFF' : '') + lines.join(''), conflicts, marks }
}

/** From 1: the lines that still are marks, or begin like one. */
export function markedLines(text: string, marks: ConflictMarks): readonly number[] {
  const { between } = marks
  const [opening, closing] = ['<'.repeat(between.length), '>'.repeat(between.length)]
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.startsWith(opening) || line.startsWith(closing) || line.trimEnd() === between ? [index + 1] : [],
    )
}

/** With their ends; the last may have none. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function lineEndOf(text: string): string {
  const all = text.split('\n').length - 1
  const returns = text.split('\r\n').length - 1
  return returns * 2 > all ? '\r\n' : '\n'
}

function closed(line: string, lineEnd: string): string {
  return line.endsWith('\n') ? line : line + lineEnd
}

/** How many lines all have in common at the start and, apart from those, at the end. */
function commonEnds(texts: readonly (readonly string[])[]): { readonly start: number; readonly end: number } {
  const [first = []] = texts
  const shortest = Math.min(...texts.map((lines) => lines.length))
  let start = 0
  while (start < shortest && texts.every((lines) => lines[start] === first[start])) start++
  let end = 0
  while (end < shortest - start && texts.every((lines) => lines.at(-1 - end) === first.at(-1 - end))) end++
  return { start, end }
}

/** The usual ones, or longer where a text has such lines itself. */
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
