/** A line of a diff: both sides next to each other, or one side below the other. */
import { memo, type RefObject, useEffect, useMemo, useReducer, useRef } from 'react'
import colors from '../../../ui/code/code-colors.module.css'
import { type HighlightedLine, tokenKinds } from '../../../ui/code/code-tokens.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { type TextRange, wordChanges } from './diff-lines.ts'
import type { DiffSide, LineRow } from './diff-rows.ts'
import type { FileDiff } from './diff-worker-client.ts'
import { rangesOf } from './use-find.tsx'

interface DiffLineProps {
  readonly row: LineRow
  readonly diff: FileDiff
  /** The highlighted text of each side; undefined until known. */
  readonly oldTokens: HighlightedLine | undefined
  readonly newTokens: HighlightedLine | undefined
  readonly layout: 'split' | 'unified'
  /** The text that is searched for; empty without a search. */
  readonly sought: string
  /** The side with the cursor; null when the cursor is on another line. */
  readonly cursor: DiffSide | null
  /** The side whose line is selected. */
  readonly selected: DiffSide | null
}

/** How added, removed and unchanged lines look. */
export const LINE_STYLES = {
  context: { sign: ' ', label: '', line: '', signColor: '', mark: '' },
  added: { sign: '+', label: 'added', line: 'bg-ok/13', signColor: 'text-ok', mark: 'bg-ok/30' },
  removed: { sign: '−', label: 'removed', line: 'bg-bad/12', signColor: 'text-bad', mark: 'bg-bad/30' },
} as const
type LineStyle = (typeof LINE_STYLES)[keyof typeof LINE_STYLES]

export const DiffLine = memo(function DiffLine(props: DiffLineProps) {
  const { row, diff, oldTokens, newTokens, layout, sought, cursor, selected } = props
  const changes = useWordChanges(row, diff)
  const side = (which: DiffSide) => {
    const index = row[which]
    const text = index === null ? '' : (diff[which][index] ?? '')
    const found = rangesOf(text, sought)
    const style = row.changed
      ? which === 'before'
        ? LINE_STYLES.removed
        : LINE_STYLES.added
      : LINE_STYLES.context
    return {
      which,
      index,
      text,
      tokens: (which === 'before' ? oldTokens : newTokens) ?? null,
      // Matches are marked instead of changed words.
      marked: found.length > 0 ? found : (changes?.[which] ?? null),
      style,
      markClass: found.length > 0 ? 'bg-accent/40' : style.mark,
      isCursor: cursor === which,
      isSelected: selected === which,
    }
  }
  if (layout === 'split')
    return (
      <div className="grid grid-cols-[calc(var(--digits)*1ch+2.6ch)_minmax(0,1fr)_calc(var(--digits)*1ch+2.6ch)_minmax(0,1fr)]">
        <Half {...side('before')} />
        <Half {...side('after')} />
      </div>
    )
  const shown = side(row.after === null ? 'before' : 'after')
  return (
    <div className="grid grid-cols-[repeat(2,calc(var(--digits)*1ch+2.6ch))_minmax(0,1fr)]">
      <LineNumber {...side('before')} />
      <LineNumber {...side('after')} />
      <Code {...shown} />
    </div>
  )
})

interface SideProps {
  readonly which: DiffSide
  readonly index: number | null
  readonly text: string
  readonly tokens: HighlightedLine | null
  readonly marked: readonly TextRange[] | null
  readonly style: LineStyle
  readonly markClass: string
  readonly isCursor: boolean
  readonly isSelected: boolean
}

function Half(props: SideProps) {
  return (
    <>
      <LineNumber {...props} />
      <Code {...props} />
    </>
  )
}

function LineNumber({ which, index, isCursor, isSelected }: SideProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are rendered as needed, which <td> does not allow
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
    <span
      role="gridcell"
      data-number={index === null ? undefined : which}
      {...(index === null ? {} : { title: 'Comment on this line; drag for several' })}
      className={classNames(
        'select-none border-l-2 pr-[1ch] text-right text-fg-2',
        index !== null && 'cursor-pointer hover:bg-accent/18 hover:text-fg-0',
        isSelected && 'bg-accent/22 text-fg-0',
        isCursor ? 'border-l-fg-3 text-fg-0 group-focus/grid:border-l-accent' : 'border-l-transparent',
      )}
    >
      {index === null ? '' : index + 1}
    </span>
  )
}

/** The text of a line of one side, with its sign. */
export function Code({
  which,
  index,
  text,
  tokens,
  marked,
  style,
  markClass,
  isCursor,
  isSelected,
}: SideProps) {
  const element = useRef<HTMLSpanElement>(null)
  const steady = useSteadyTokens({ text, tokens, element })
  if (index === null)
    return (
      // biome-ignore lint/a11y/useSemanticElements: as above
      // biome-ignore lint/a11y/useFocusableInteractive: as above
      <span role="gridcell" />
    )
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useFocusableInteractive: as above
    <span
      role="gridcell"
      data-code={which}
      data-selectable=""
      className={classNames(
        'grid grid-cols-[2ch_minmax(0,1fr)] pr-2 pl-[1ch]',
        style.line,
        isSelected && 'bg-accent/12',
        isCursor &&
          'group-focus/grid:shadow-[inset_0_0_0_999px_color-mix(in_oklab,var(--fg-0)_6%,transparent)]',
      )}
    >
      <span className={classNames('select-none', style.signColor)}>
        <span aria-hidden="true">{style.sign}</span>
        <span className="sr-only">{style.label}</span>
      </span>
      <span
        ref={element}
        dir="ltr"
        className="whitespace-pre-wrap text-fg-0 wrap-anywhere [tab-size:4] group-data-[wrap=off]/grid:overflow-x-clip group-data-[wrap=off]/grid:whitespace-pre"
      >
        <span className="group-data-[wrap=off]/grid:inline-block group-data-[wrap=off]/grid:translate-x-[calc(var(--sideways,0)*-1px)]">
          <LineText text={text} tokens={steady} marked={marked} markClass={markClass} />
        </span>
      </span>
    </span>
  )
}

/** The changed words of both sides of a changed line; null where there are none to compare. */
export function useWordChanges(row: LineRow, { before, after }: Pick<FileDiff, 'before' | 'after'>) {
  const [old, now] =
    row.partner === null
      ? [row.before, row.after]
      : row.after === null
        ? [row.before, row.partner]
        : [row.partner, row.after]
  const oldText = old === null ? undefined : before[old]
  const newText = now === null ? undefined : after[now]
  return useMemo(
    () =>
      !row.changed || oldText === undefined || newText === undefined || oldText === newText
        ? null
        : wordChanges(oldText, newText),
    [row.changed, oldText, newText],
  )
}

interface Line {
  readonly text: string
  readonly tokens: HighlightedLine | null
  readonly element: RefObject<HTMLElement | null>
}

/** The colors of a line. While the user marks text in the line, they stay as they are. */
function useSteadyTokens({ text, tokens, element }: Line): HighlightedLine | null {
  const shown = useRef({ text, tokens })
  const [, renderAgain] = useReducer((times: number) => times + 1, 0)
  const isSame = shown.current.text === text && shown.current.tokens === tokens
  if (!isSame && (shown.current.text !== text || !isMarked(element.current))) shown.current = { text, tokens }
  const waits = shown.current.tokens !== tokens
  useEffect(() => {
    if (!waits) return
    const onChange = () => {
      if (!isMarked(element.current)) renderAgain()
    }
    document.addEventListener('selectionchange', onChange)
    return () => document.removeEventListener('selectionchange', onChange)
  }, [waits, element])
  return shown.current.tokens
}

function isMarked(element: HTMLElement | null): boolean {
  const selection = document.getSelection()
  if (element === null || selection === null || selection.isCollapsed) return false
  return selection.getRangeAt(0).intersectsNode(element)
}

/** The text of one line: highlighted, with changed words marked and invisible characters spelled out. */
interface LineTextProps {
  readonly text: string
  /** Null: plain text. */
  readonly tokens: HighlightedLine | null
  readonly marked: readonly TextRange[] | null
  readonly markClass: string
}

/** Longer lines are cut. */
const LONGEST = 3000

const LineText = memo(function LineText({ text, tokens, marked, markClass }: LineTextProps) {
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
