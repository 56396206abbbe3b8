/** The text of one line: highlighted, with changed words marked and invisible characters spelled out. */
import { memo } from 'react'
import colors from '../../../ui/code/code-colors.module.css'
import { type HighlightedLine, tokenKinds } from '../../../ui/code/code-tokens.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import type { TextRange } from './word-changes.ts'

interface LineTextProps {
  readonly text: string
  /** Null: plain text. */
  readonly tokens: HighlightedLine | null
  readonly marked: readonly TextRange[] | null
  readonly markClass: string
}

/** Longer lines are cut. */
const LONGEST = 3000

export const LineText = memo(function LineText({ text, tokens, marked, markClass }: LineTextProps) {
  const shown = text.length > LONGEST ? text.slice(0, LONGEST) : text
  return (
    <>
      {piecesOf(shown, tokens, marked).map(({ at, piece, kind, isMarked }) => {
        const name = tokenKinds[kind]
        if (kind === 0 && !isMarked) return <VisibleText key={at}>{piece}</VisibleText>
        return (
          <span
            key={at}
            className={classNames(
              !isMarked && kind > 0 && name !== undefined && colors[name],
              isMarked && classNames('rounded-[2px] text-fg-0', markClass),
            )}
          >
            <VisibleText>{piece}</VisibleText>
          </span>
        )
      })}
      {shown.length < text.length && (
        <span className="text-fg-2"> … {count(text.length - shown.length, 'more character')}</span>
      )}
    </>
  )
})

interface Piece {
  readonly at: number
  readonly piece: string
  readonly kind: number
  readonly isMarked: boolean
}

/** Splits tokens at the start and end of each mark. */
function piecesOf(
  text: string,
  tokens: HighlightedLine | null,
  marked: readonly TextRange[] | null,
): readonly Piece[] {
  const cuts = (marked ?? []).flat()
  const pieces: Piece[] = []
  let at = 0
  for (const [content, kind] of tokens ?? [[text, 0] as const]) {
    const end = Math.min(text.length, at + content.length)
    while (at < end) {
      const next = Math.min(end, ...cuts.filter((cut) => cut > at))
      const from = at
      const isMarked = marked?.some(([start, stop]) => from >= start && from < stop) ?? false
      pieces.push({ at, piece: text.slice(at, next), kind, isMarked })
      at = next
    }
  }
  return pieces
}
