/** A part of a file with its indent and its Windows line ends taken off, which still knows where everything came from. */
import type { TextEdit } from './agent-definition.ts'

interface Line {
  readonly text: string
  /** Where the text starts in the file. */
  readonly from: number
}

export class TextLines {
  /** The lines, joined by LF. */
  readonly text: string
  private readonly lines: readonly Line[]
  private readonly starts: readonly number[]
  /** What ends a line in the file, with the indent of the next one. */
  private readonly lineEnd: string

  /** Where there is nothing more, `end` is the place in the file; a line break is part of the text only between two lines. */
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

  /** The place in the file of a place in `text`. */
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

  /** The same edit of the file. */
  editOfFile({ from, to, insert }: TextEdit): TextEdit {
    return { from: this.toFile(from), to: this.toFile(to), insert: insert.replaceAll('\n', this.lineEnd) }
  }
}
