/** A message's text. A long text shows its start, and opened it is drawn in pieces while the window is idle. */
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { useFold } from '../surroundings.ts'
import { whenQuiet } from '../when-quiet.ts'

interface LongTextProps {
  /** The key of the open or closed state. */
  readonly rowKey: string
  readonly text: string
  readonly format: 'markdown' | 'plain'
  readonly openAtFirst?: boolean
}

export function LongText({ rowKey, text, format, openAtFirst = false }: LongTextProps) {
  const [open, toggle] = useFold(rowKey, openAtFirst)
  const long = isLong(text)
  const lines = useMemo(() => (long ? lineCountOf(text) : 0), [long, text])
  if (!long) return <Piece text={text} format={format} />
  return (
    <>
      {open ? (
        <TextPieces rowKey={rowKey} text={text} format={format} />
      ) : (
        <div className="[mask-image:linear-gradient(#000_70%,transparent)]">
          <Piece text={startOfText(text)} format={format} />
        </div>
      )}
      <Button
        data-unsearched=""
        variant="quiet"
        className="-ml-2.5 mt-1"
        aria-expanded={open}
        onClick={toggle}
      >
        {open ? 'Show less' : `Show all ${lines > 1 ? `${lines.toLocaleString('en')} lines` : sizeOf(text)}`}
      </Button>
    </>
  )
}

function sizeOf({ length }: string): string {
  return `${Math.round(length / 1000).toLocaleString('en')} KB`
}

function Piece({ text, format }: Pick<LongTextProps, 'text' | 'format'>) {
  if (format === 'markdown') return <Markdown text={text} />
  return (
    <div dir="auto" className="whitespace-pre-wrap wrap-anywhere [unicode-bidi:plaintext]">
      {text}
    </div>
  )
}

/** Pieces drawn at once, and at most without another click. */
const AT_ONCE = 2
const AT_MOST = 50

/** The key that lets a search draw all pieces. */
export const wholeTextKey = (rowKey: string): string => `whole:${rowKey}`

/** A long text, whole. Pieces outside the view are not laid out. */
export function TextPieces({ rowKey, text, format }: Pick<LongTextProps, 'rowKey' | 'text' | 'format'>) {
  const pieces = useMemo(
    () => (format === 'markdown' ? markdownPieces(text) : plainPieces(text)),
    [text, format],
  )
  const [whole, showWhole] = useFold(wholeTextKey(rowKey))
  const [drawn, setDrawn] = useState(AT_ONCE)
  const most = whole ? pieces.length : Math.min(pieces.length, AT_MOST)
  useEffect(() => {
    if (drawn >= most) return
    return whenQuiet(() => setDrawn(drawn + 1), 100)
  }, [drawn, most])
  return (
    <>
      {pieces.slice(0, drawn).map((piece, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
          key={index}
          data-drawing={index === drawn - 1 && drawn < most ? '' : undefined}
          className={index > 0 && format === 'markdown' ? 'pt-2' : ''}
          style={
            pieces.length > 1
              ? { contentVisibility: 'auto', containIntrinsicBlockSize: `auto ${heightOf(piece)}px` }
              : undefined
          }
        >
          <Piece text={piece} format={format} />
        </div>
      ))}
      {drawn >= most && most < pieces.length && (
        <Button data-unsearched="" className="mt-1" onClick={showWhole}>
          Show the rest ({sizeOf(pieces.slice(most).join(''))})
        </Button>
      )}
    </>
  )
}

/** An estimated height in px. */
function heightOf(text: string): number {
  return 20 * Math.max(text.split('\n').length, text.length / 60)
}

// Divides a long text, so that the page draws it in bounded pieces.

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
export function startOfText(text: string): string {
  const end = indexOfLine(text, START.lines)
  return text.slice(0, Math.min(end === -1 ? text.length : end, START.characters))
}

/** The number of lines, without empty lines at the end. */
export function lineCountOf(text: string): number {
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
