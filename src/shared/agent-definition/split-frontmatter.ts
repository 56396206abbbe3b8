/** Splits a definition into the YAML between the fences and the body below, and tells where a missing fence belongs. */
import type { TextEdit } from './agent-definition.ts'
import { fieldOf } from './definition-fields.ts'

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

/** The closing line of dashes that a frontmatter lacks. */
export interface MissingFence {
  readonly edit: TextEdit
  /** From 1: the last line of the frontmatter. */
  readonly line: number
}

const OPENING_FENCE = /^\uFEFF?(?:[ \t]*\r?\n)*[ \t]*-{3,}[ \t]*(?:\r?\n|$)/
const FIELD = /^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?=\s|$)/

/**
 * Where the closing line of dashes of a frontmatter belongs that lacks it. The frontmatter ends with its last field. A field is a line at the margin with a known key, or any `key: value`
 * before the first blank line; indented lines and lists below a field belong to it. Null: there are no fields.
 */
export function missingFence(text: string): MissingFence | null {
  const opening = OPENING_FENCE.exec(text)?.[0]
  if (opening === undefined) return null
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let end: number | null = null
  let lastLine = 0
  let line = opening.split('\n').length - 1
  /** Whether a line of the body was seen: then only a known key continues the frontmatter. */
  let wasBlank = false
  let at = opening.length
  while (at < text.length) {
    const found = text.indexOf('\n', at)
    const next = found === -1 ? text.length : found + 1
    const content = text.slice(at, next).trimEnd()
    line++
    if (/^(?:-{3,}|\.\.\.)$/.test(content)) break
    const key = FIELD.exec(content)?.[1]
    const isField = key !== undefined && (fieldOf(key) !== undefined || !wasBlank)
    const isPart = /^[ \t]+\S|^-[ \t]|^[\]}]/.test(content) && end !== null && !wasBlank
    if (isField || isPart) {
      end = next
      lastLine = line
      wasBlank = false
    } else if (content === '') wasBlank = true
    // A comment may stand between fields; a heading of the body looks the same.
    else if (!content.startsWith('#') || wasBlank) break
    at = next
  }
  if (end === null) return null
  const isLast = end === text.length && !text.endsWith('\n')
  const insert = `${isLast ? lineEnd : ''}---${lineEnd}`
  return { edit: { from: end, to: end, insert }, line: lastLine }
}
