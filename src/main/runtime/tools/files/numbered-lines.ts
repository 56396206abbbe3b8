/** Lines of a text with their numbers, as Read returns them. */
import { countOf, withCommas } from '../../../../shared/kernel/amounts.ts'

export const MOST_LINES = 2000
export const LONGEST_LINE = 2000
/** For all lines together. */
export const MOST_CHARACTERS = 100_000

interface LineRange {
  /** The first line, from 1. */
  readonly offset: number
  readonly limit: number
}

interface NumberedLines {
  readonly text: string
  /** The first and last line shown; null if the range begins after the end. */
  readonly shown: readonly [first: number, last: number] | null
  /** All lines of the text. */
  readonly total: number
}

/** Without line ends. A long line is cut, with a note of the omitted characters. */
export function numberedLines(text: string, { offset, limit }: LineRange): NumberedLines {
  const total = countLines(text)
  if (offset > total) return { text: '', shown: null, total }
  const written: string[] = []
  let length = 0
  let start = startOfLine(text, offset)
  let number = offset
  for (; number <= total && number < offset + limit; number++) {
    const end = text.indexOf('\n', start)
    const line = numbered(number, text.slice(start, end === -1 ? text.length : end))
    if (written.length > 0 && length + line.length > MOST_CHARACTERS) break
    written.push(line)
    length += line.length + 1
    start = end + 1
  }
  return { text: written.join('\n'), shown: [offset, number - 1], total }
}

/** A note for the model on the remaining lines; empty after the last line. */
export function restOf({ shown, total }: NumberedLines): string {
  if (shown === null || shown[1] >= total) return ''
  return `[Lines ${shown[0]} to ${shown[1]} of ${withCommas(total)}. Continue with offset ${shown[1] + 1}.]`
}

/** The row's note. */
export function linesNoteOf({ shown, total }: NumberedLines): string {
  if (shown === null || (shown[0] === 1 && shown[1] === total)) return countOf(total, 'line')
  return `lines ${shown[0]} to ${shown[1]} of ${withCommas(total)}`
}

function numbered(number: number, line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line
  const cut = plain.length > LONGEST_LINE
  const shown = cut
    ? `${plain.slice(0, LONGEST_LINE)} [… ${withCommas(plain.length - LONGEST_LINE)} more characters in this line]`
    : plain
  return `${String(number).padStart(6)}\t${shown}`
}

/** A line end at the end of the text begins no further line. */
function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function startOfLine(text: string, number: number): number {
  let start = 0
  for (let line = 1; line < number; line++) start = text.indexOf('\n', start) + 1
  return start
}
