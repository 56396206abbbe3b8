/** Divides a long text, so that the page draws it in bounded pieces. */

/** A text with more lines or characters shows its start at first. */
const LONG = { lines: 40, characters: 8000 } as const
/** The start of a long text. */
const START = { lines: 14, characters: 2000 } as const
/** The intended length of a piece, and the length at which it ends without an empty line, in characters. */
const PIECE = { wanted: 6000, most: 12_000 } as const

/** Whether the text has more lines than are shown at first. */
export function isLong(text: string): boolean {
  return text.length > LONG.characters || indexOfLine(text, LONG.lines) !== -1
}

/** The start of a long text. */
export function startOf(text: string): string {
  const end = indexOfLine(text, START.lines)
  return text.slice(0, Math.min(end === -1 ? text.length : end, START.characters))
}

/** The number of lines, without empty lines at the end. */
export function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}

/** The index after so many lines; -1 if the text has no more lines than that. */
function indexOfLine(text: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line++) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return -1
  }
  return text.slice(at + 1).trim() === '' ? -1 : at
}

/** Plain text in pieces that together are the text. */
export function plainPieces(text: string): readonly string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + PIECE.wanted)
    const line = text.lastIndexOf('\n', end - 1) + 1
    if (end < text.length && line > start) end = line
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`\n]*)/

/**
 * Markdown in pieces that are each valid: they end at empty lines outside code. A longer block of code is divided into
 * several blocks.
 */
export function markdownPieces(text: string): readonly string[] {
  const pieces: string[] = []
  let piece = ''
  let fence: { readonly mark: string; readonly line: string } | null = null
  const end = () => {
    pieces.push(piece)
    piece = ''
  }
  for (const line of text.split(/(?<=\n)/)) {
    for (const part of line.length > PIECE.most ? plainPieces(line) : [line]) {
      if (fence !== null && piece.length > PIECE.most) {
        piece += `${fence.mark}\n`
        end()
        piece = `${fence.line}\n`
      } else if (piece.length > PIECE.most) end()
      piece += part
    }
    const found = FENCE.exec(line)
    const mark = found?.[1]
    if (fence === null && mark !== undefined) fence = { mark, line: line.trimEnd() }
    else if (fence !== null && mark?.startsWith(fence.mark) && found?.[2]?.trim() === '') fence = null
    if (fence === null && line.trim() === '' && piece.length > PIECE.wanted) end()
  }
  if (piece.trim() !== '') end()
  return pieces
}
