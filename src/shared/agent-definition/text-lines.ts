/** A part of a file without its indent and without Windows line ends. Positions map back to the file. */
import type { TextEdit } from './agent-definition.ts'

interface Line {
  readonly text: string
  /** The text's position in the file. */
  readonly from: number
}

export class TextLines {
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
