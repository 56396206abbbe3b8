/** A message's text. A long text shows its start, and opened it is drawn in pieces while the window is idle. */
import { useEffect, useMemo, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { useFold } from '../use-fold.ts'
import { whenQuiet } from '../when-quiet.ts'
import { countLines, isLong, markdownPieces, plainPieces, startOf } from './text-pieces.ts'

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
  const lines = useMemo(() => (long ? countLines(text) : 0), [long, text])
  if (!long) return <Piece text={text} format={format} />
  return (
    <>
      {open ? (
        <TextPieces rowKey={rowKey} text={text} format={format} />
      ) : (
        <div className="[mask-image:linear-gradient(#000_70%,transparent)]">
          <Piece text={startOf(text)} format={format} />
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
