/** Compares two texts by lines, as alternating blocks of equal and of changed lines. */
import { diffArrays, diffWordsWithSpace } from 'diff'

/** Lines are numbered from 0. */
export interface DiffBlock {
  readonly kind: 'same' | 'change'
  readonly before: number
  readonly beforeCount: number
  readonly after: number
  readonly afterCount: number
}

/** More edits, or a longer search, become one large change: the shortest edit script would take too long. */
const MOST_EDITS = 12_000
const LONGEST_MS = 4000

/** The blocks cover all lines of both sides in order; equal and changed blocks alternate. */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  ignoreWhitespace: boolean,
): readonly DiffBlock[] {
  const [old, now] = numbered(before, after, ignoreWhitespace)
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const blocks = new Blocks()
  blocks.same(head)
  addChanges(blocks, old.slice(head, old.length - tail), now.slice(head, now.length - tail))
  blocks.same(tail)
  return blocks.all
}

function addChanges(blocks: Blocks, old: readonly number[], now: readonly number[]): void {
  let [before, after] = [0, 0]
  for (const [oldAt, newAt] of sameLines(old, now)) {
    blocks.change(oldAt - before, newAt - after)
    blocks.same(1)
    before = oldAt + 1
    after = newAt + 1
  }
  blocks.change(old.length - before, now.length - after)
}

/** The indexes of unchanged lines on both sides. Yields none when the search takes too long. */
function* sameLines(
  old: readonly number[],
  now: readonly number[],
): Generator<readonly [oldAt: number, newAt: number]> {
  // A line on one side only can't be unchanged; leaving such lines out makes rewritten files fast.
  const oldLines = indexesOfShared(old, new Set(now))
  const newLines = indexesOfShared(now, new Set(old))
  const changes = diffArrays(
    oldLines.map((at) => old[at]),
    newLines.map((at) => now[at]),
    { maxEditLength: MOST_EDITS, timeout: LONGEST_MS },
  )
  let [before, after] = [0, 0]
  for (const { added, removed, count } of changes ?? []) {
    if (!added && !removed)
      for (let step = 0; step < count; step++)
        yield [oldLines[before + step] ?? 0, newLines[after + step] ?? 0]
    if (!added) before += count
    if (!removed) after += count
  }
}

const indexesOfShared = (lines: readonly number[], other: ReadonlySet<number>): readonly number[] =>
  lines.flatMap((line, at) => (other.has(line) ? [at] : []))

class Blocks {
  readonly all: DiffBlock[] = []
  private before = 0
  private after = 0

  same(count: number): void {
    this.add('same', count, count)
  }

  change(beforeCount: number, afterCount: number): void {
    this.add('change', beforeCount, afterCount)
  }

  private add(kind: DiffBlock['kind'], beforeCount: number, afterCount: number): void {
    if (beforeCount === 0 && afterCount === 0) return
    const last = this.all.at(-1)
    if (last?.kind === kind)
      this.all[this.all.length - 1] = {
        ...last,
        beforeCount: last.beforeCount + beforeCount,
        afterCount: last.afterCount + afterCount,
      }
    else this.all.push({ kind, before: this.before, beforeCount, after: this.after, afterCount })
    this.before += beforeCount
    this.after += afterCount
  }
}

/** Numbers equal lines equally: numbers compare faster than strings. */
function numbered(
  before: readonly string[],
  after: readonly string[],
  ignoreWhitespace: boolean,
): [number[], number[]] {
  const numbers = new Map<string, number>()
  const numberOf = (line: string): number => {
    const text = ignoreWhitespace ? line.replace(/\s+/g, '') : line
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, numbers.size)
    return numbers.size - 1
  }
  return [before.map(numberOf), after.map(numberOf)]
}

/** The lines of a text and its line endings. A line ends with LF, as in git; the CR of CR LF is a part of the line. */
interface TextLines {
  readonly lines: readonly string[]
  readonly endings: 'none' | 'lf' | 'crlf' | 'mixed'
  /** Whether the last line ends with a line break; true for an empty text. */
  readonly endsWithBreak: boolean
}

/** Null: no file. */
function linesOf(text: string | null): TextLines {
  if (text === null || text === '') return { lines: [], endings: 'none', endsWithBreak: true }
  const parts = text.split('\n')
  const endsWithBreak = parts.at(-1) === ''
  const lines = endsWithBreak ? parts.slice(0, -1) : parts
  const broken = endsWithBreak ? lines : lines.slice(0, -1)
  const withReturn = broken.filter((line) => line.endsWith('\r')).length
  if (broken.length === 0) return { lines, endings: 'none', endsWithBreak }
  if (withReturn === 0) return { lines, endings: 'lf', endsWithBreak }
  return { lines, endings: withReturn < broken.length ? 'mixed' : 'crlf', endsWithBreak }
}

interface Sides {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

interface ComparedSides {
  /** The lines as the window shows them. Both sides have the CR of their lines, or none has it. */
  readonly shown: Sides
  /** The same lines for a comparison: equal where git finds them equal. */
  readonly compared: Sides
  readonly notes: readonly string[]
}

/** The lines of both sides of a file. Null: the file does not exist on that side. */
export function comparedSidesOf(before: string | null, after: string | null): ComparedSides {
  const [old, now] = [linesOf(before), linesOf(after)]
  const endings = [old.endings, now.endings].filter((one) => one !== 'none')
  const hideReturn = endings.length > 0 && endings.every((one) => one === 'crlf')
  const shown = ({ lines }: TextLines) => (hideReturn ? lines.map((line) => line.replace(/\r$/, '')) : lines)
  return {
    shown: { before: shown(old), after: shown(now) },
    compared: { before: comparedLines(old), after: comparedLines(now) },
    notes: endingNotes(old, now),
  }
}

/** Marks a last line without a line break: git finds it different from the same line with one. */
const comparedLines = ({ lines, endsWithBreak }: TextLines): readonly string[] =>
  endsWithBreak ? lines : [...lines.slice(0, -1), `${lines.at(-1)}\n`]

/** Notes on changed line endings. */
function endingNotes(before: TextLines, after: TextLines): readonly string[] {
  const notes: string[] = []
  const known = before.endings !== 'none' && after.endings !== 'none'
  if (known && before.endings !== after.endings)
    notes.push(`Line endings changed from ${ENDINGS[before.endings]} to ${ENDINGS[after.endings]}.`)
  if (before.lines.length > 0 && after.lines.length > 0 && before.endsWithBreak !== after.endsWithBreak)
    notes.push(
      after.endsWithBreak
        ? 'Line break added at the end of the file.'
        : 'Line break removed at the end of the file.',
    )
  return notes
}

const ENDINGS = { none: 'none', lf: 'LF', crlf: 'CR LF', mixed: 'mixed' } as const

/** [start, end) within the line. */
export type TextRange = readonly [number, number]

interface WordChanges {
  readonly before: readonly TextRange[]
  readonly after: readonly TextRange[]
}

/** Longer lines are not compared by word. */
const LONGEST_LINE = 1000

/** Null when the lines have too little in common. */
export function wordChanges(before: string, after: string): WordChanges | null {
  if (before.length > LONGEST_LINE || after.length > LONGEST_LINE) return null
  const marked: { before: TextRange[]; after: TextRange[] } = { before: [], after: [] }
  let [oldAt, newAt, shared] = [0, 0, 0]
  for (const { value, added, removed } of diffWordsWithSpace(before, after)) {
    if (added) {
      push(marked.after, [newAt, newAt + value.length])
      newAt += value.length
    } else if (removed) {
      push(marked.before, [oldAt, oldAt + value.length])
      oldAt += value.length
    } else {
      shared += value.trim().length
      oldAt += value.length
      newAt += value.length
    }
  }
  return shared * 3 < Math.min(before.trim().length, after.trim().length) ? null : marked
}

function push(ranges: TextRange[], range: TextRange): void {
  const last = ranges.at(-1)
  if (last !== undefined && last[1] === range[0]) ranges[ranges.length - 1] = [last[0], range[1]]
  else ranges.push(range)
}
