/** Splits a definition into the YAML between the fences and the body below. */
import type { TextEdit } from './agent-definition.ts'

export interface SplitFrontmatter {
  readonly kind: 'split'
  /** Ends with a line break unless empty. */
  readonly yaml: TextLines
  /** Empty at the file's end if the closing fence is the last line and has no line ending. */
  readonly body: TextLines
  /** Whether the closing fence has a line ending, so that a body can follow. */
  readonly isClosed: boolean
  /** The file's line ending. */
  readonly lineEnd: '\n' | '\r\n'
}

type SplitResult =
  | SplitFrontmatter
  /** The text does not start with a fence. */
  | { readonly kind: 'none' }
  /** The text has an opening fence at [from, to) and no closing fence. */
  | { readonly kind: 'open'; readonly from: number; readonly to: number }

const OPENING = /^([ \t]*)-{3,}[ \t]*$/
const CLOSING = /^(-{3,}|\.\.\.)[ \t]*$/

/**
 * If the opening fence is indented, every line is. The block ends at the first line of dashes (or
 * dots) after it, since bodies have such lines too; one that is indented belongs to a text of the YAML.
 */
export function splitFrontmatter(file: string): SplitResult {
  const written = linesOf(file)
  const start = written.findIndex((line) => line.text.trim() !== '')
  const opening = OPENING.exec(written[start]?.text ?? '')
  if (!opening || start === -1) return { kind: 'none' }
  const width = (opening[1] ?? '').length
  const lines = width === 0 ? written : written.map((line) => dedent(line, width))
  const closing = lines.findIndex((line, index) => index > start && CLOSING.test(line.text))
  const first = written[start]
  if (closing === -1)
    return { kind: 'open', from: first?.from ?? 0, to: (first?.from ?? 0) + (first?.text.length ?? 0) }

  const lineEnd = file[(first?.from ?? 0) + (first?.text.length ?? 0)] === '\r' ? '\r\n' : '\n'
  const nextLine = lineEnd + (opening[1] ?? '')
  const fields = lines.slice(start + 1, closing)
  const fence = lines[closing]
  const below = lines.slice(closing + 1)
  const end = { text: '', from: file.length }
  return {
    kind: 'split',
    yaml: new TextLines(fields, { end: { text: '', from: fence?.from ?? 0 }, lineEnd: nextLine }),
    body: new TextLines(below.length === 0 ? [end] : below, { end: null, lineEnd: nextLine }),
    isClosed: below.length > 0,
    lineEnd,
  }
}

/** Characters of a frontmatter that is looked for quickly. */
const LONGEST_HEAD = 70_000

/**
 * The end of the closing fence's line, without reading the body. Null if only `splitFrontmatter` can tell: the frontmatter
 * is missing, open, indented, very long or closed by dots, or nothing follows its closing fence.
 */
export function endOfHead(file: string): number | null {
  const opening = /^\uFEFF?(?:[ \t]*\r?\n)*-{3,}[ \t]*\r?\n/.exec(file.slice(0, LONGEST_HEAD))
  if (opening === null) return null
  for (let at = opening[0].length; at < LONGEST_HEAD; ) {
    const end = file.indexOf('\n', at)
    if (end === -1) return null
    const line = file.slice(at, end).trimEnd()
    if (CLOSING.test(line)) return line.startsWith('.') ? null : end + 1
    at = end + 1
  }
  return null
}

/** The lines without line endings and without a byte-order mark. */
function linesOf(file: string): readonly { readonly text: string; readonly from: number }[] {
  const lines: { text: string; from: number }[] = []
  let from = file.startsWith('\uFEFF') ? 1 : 0
  for (;;) {
    const end = file.indexOf('\n', from)
    const to = end === -1 ? file.length : end
    lines.push({
      text: file.slice(from, end !== -1 && file[to - 1] === '\r' && to > from ? to - 1 : to),
      from,
    })
    if (end === -1) return lines
    from = end + 1
  }
}

function dedent(line: { readonly text: string; readonly from: number }, width: number) {
  const { text, from } = line
  const kept = text.slice(0, width).trim() === '' ? text.slice(width) : text.trimStart()
  return { text: kept, from: from + text.length - kept.length }
}

interface Line {
  readonly text: string
  /** The text's position in the file. */
  readonly from: number
}

/** A part of a file without its indent and without Windows line ends. Positions map back to the file. */
class TextLines {
  /** The lines, joined by LF. */
  readonly text: string
  private readonly lines: readonly Line[]
  private readonly starts: readonly number[]
  /** The file's line ending, followed by the indent of the next line. */
  private readonly lineEnd: string

  /** @param end the position in the file if there are no lines. Line breaks are part of the text only between lines. */
  constructor(
    lines: readonly Line[],
    { end, lineEnd }: { readonly end: Line | null; readonly lineEnd: string },
  ) {
    this.lines = end === null ? lines : [...lines, end]
    this.text = this.lines.map((line) => line.text).join('\n')
    this.lineEnd = lineEnd
    const starts: number[] = []
    let at = 0
    for (const line of this.lines) {
      starts.push(at)
      at += line.text.length + 1
    }
    this.starts = starts
  }

  /** Maps a position in `text` to the file. */
  toFile(offset: number): number {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const line = this.lines[low]
    return line === undefined ? 0 : line.from + Math.min(offset - (this.starts[low] ?? 0), line.text.length)
  }

  /** Maps an edit of `text` to the file. */
  editOfFile({ from, to, insert }: TextEdit): TextEdit {
    return { from: this.toFile(from), to: this.toFile(to), insert: insert.replaceAll('\n', this.lineEnd) }
  }
}
