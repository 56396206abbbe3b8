/**
 * The lines of a file's diff, of which only those in sight are in the page. The grid has the focus; keys move a
 * cursor in it, comment on its line, open gaps.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { UnfoldVertical } from 'lucide-react'
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import {
  beginComment,
  type DraftComment,
  editComment,
  type HalfComment,
  useReviewDraft,
} from '../../../stores/review-comments.ts'
import { useSession } from '../../../stores/session-store.ts'
import { classNames } from '../../../ui/class-names.ts'
import colors from '../../../ui/code/code-colors.module.css'
import { count } from '../../../ui/format.ts'
import { VisibleText } from '../../../ui/visible-text.tsx'
import type { LineRange } from './colouring.ts'
import { CommentEditor, CommentRow } from './comment-row.tsx'
import { DiffLine } from './diff-line.tsx'
import {
  changeStarts,
  type DiffRow,
  type DiffSide,
  type Expansions,
  type GapRow,
  rowsOfDiff,
} from './diff-rows.ts'
import { useColours } from './use-colours.ts'
import { type DiffCursor, sideOn, useCursor } from './use-cursor.ts'
import type { FileDiff } from './use-diff.ts'
import { usePlaceKept } from './use-place-kept.ts'

export interface DiffGridHandle {
  /** Goes to the next change, or the one before; false where there is none. */
  goToChange(direction: 1 | -1): boolean
  focus(): void
}

export interface DiffGridProps {
  readonly path: string
  readonly diff: FileDiff
  readonly layout: 'split' | 'unified'
  readonly whole: boolean
  readonly draftKey: string
  readonly agentName: string
  /** Left arrow, where there is nothing more at the left: back to the files. */
  readonly onLeave: () => void
  readonly handle: Ref<DiffGridHandle>
  readonly arrival: RefObject<Arrival | null>
}

/** Whoever comes to a file from the changes of the one before it, or after it. */
export interface Arrival {
  readonly path: string
  readonly direction: 1 | -1
}

/** Lines that a gap opens by at each of its ends; one that is not much larger opens as a whole. */
const STEP = 20
const HEIGHTS = { line: 20, gap: 27, comment: 92, editor: 140, note: 28 } as const

export function DiffGrid(props: DiffGridProps) {
  const { path, diff, layout, whole, draftKey, agentName, onLeave, handle, arrival } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const scale = useSession((state) => state.settings.textSize) / 100
  const [expansions, setExpansions] = useState<Expansions>(new Map())
  const { colours, look } = useColours(path, diff)
  const rows = useRows({ path, diff, layout, whole, draftKey, expansions })
  const starts = useMemo(() => changeStarts(rows), [rows])
  const cursor = useCursor(rows)
  const editorIndex = rows.findIndex(({ kind }) => kind === 'editor')
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => Math.round(HEIGHTS[rows[index]?.kind ?? 'line'] * scale),
    overscan: 20,
    // The row at the cursor, and a comment that is being written, stay in the page wherever it is scrolled to.
    rangeExtractor: ({ startIndex, endIndex, overscan, count: all }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(all - 1, endIndex + overscan)
      const seen = new Set(Array.from({ length: to - from + 1 }, (_, step) => from + step))
      for (const kept of [cursor.index, editorIndex]) if (kept >= 0 && kept < all) seen.add(kept)
      return [...seen].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights depend on the size of the text
  useEffect(() => virtualizer.measure(), [virtualizer, scale])
  usePlaceKept({ rows, diff, look: `${layout} ${whole}`, virtualizer })
  useEffect(() => {
    if (editorIndex !== -1) virtualizer.scrollToIndex(editorIndex, { align: 'auto' })
  }, [virtualizer, editorIndex])

  const focus = () => scroller.current?.focus({ preventScroll: true })
  const moveTo = (index: number, options?: Parameters<DiffCursor['moveTo']>[1]) => {
    const to = Math.max(0, Math.min(rows.length - 1, index))
    cursor.moveTo(to, options)
    virtualizer.scrollToIndex(to, { align: 'auto' })
  }
  const goToChange = (direction: 1 | -1): boolean => {
    const { index } = cursor
    const next =
      direction === 1 ? starts.find((start) => start > index) : starts.findLast((start) => start < index)
    if (next === undefined) return false
    cursor.moveTo(next)
    virtualizer.scrollToIndex(next, { align: 'center' })
    return true
  }
  useImperativeHandle(handle, () => ({ goToChange, focus }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: only as the file comes
  useEffect(() => {
    const arrived = arrival.current
    if (arrived?.path !== path) return
    arrival.current = null
    const first = (arrived.direction === 1 ? starts[0] : starts.at(-1)) ?? 0
    focus()
    cursor.moveTo(first)
    virtualizer.scrollToIndex(first, { align: 'center' })
  }, [])
  const expand = (row: GapRow) =>
    setExpansions((known) => {
      const old = known.get(row.block) ?? { top: 0, bottom: 0 }
      const step = row.hidden <= STEP * 2 + 10 ? row.hidden : STEP
      return new Map(known).set(row.block, { top: old.top + step, bottom: old.bottom + step })
    })
  const comment = (side: DiffSide, range: readonly [number, number]) =>
    beginComment(draftKey, {
      path,
      side,
      line: range[0] + 1,
      lastLine: range[1] === range[0] ? null : range[1] + 1,
      quote: diff[side]
        .slice(range[0], range[1] + 1)
        .join('\n')
        .slice(0, 4000),
    })
  const commentHere = () => {
    const row = rows[cursor.index]
    if (row?.kind === 'comment') return editComment(draftKey, row.comment.key)
    if (row?.kind !== 'line') return
    const line = row[cursor.side]
    if (line !== null) comment(cursor.side, cursor.range ?? [line, line])
  }
  const enter = () => {
    const row = rows[cursor.index]
    if (row?.kind === 'gap') expand(row)
    else if (row?.kind === 'editor')
      scroller.current?.querySelector<HTMLElement>('[data-comment-editor]')?.focus()
    else commentHere()
  }
  const page = () =>
    Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / (HEIGHTS.line * scale)) - 2)
  const turnOrLeave = (side: DiffSide) => {
    const row = rows[cursor.index]
    if (layout === 'split' && row?.kind === 'line' && row[side] !== null && cursor.side !== side)
      cursor.turn(side)
    else if (side === 'before') onLeave()
  }
  /** A selection goes on with the next line of its side. */
  const step = (direction: 1 | -1, extend: boolean) => {
    if (!extend) return moveTo(cursor.index + direction)
    for (let index = cursor.index + direction; index >= 0 && index < rows.length; index += direction) {
      const row = rows[index]
      if (row?.kind === 'gap') return
      if (row?.kind === 'line' && row[cursor.side] !== null) return moveTo(index, { extend })
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const { index } = cursor
    const extend = event.shiftKey
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (key === 'j' || key === 'ArrowDown') step(1, extend)
    else if (key === 'k' || key === 'ArrowUp') step(-1, extend)
    else if (key === 'PageDown') moveTo(index + page())
    else if (key === 'PageUp') moveTo(index - page())
    else if (key === 'Home') moveTo(0)
    else if (key === 'End') moveTo(rows.length - 1)
    else if (key === 'ArrowLeft') turnOrLeave('before')
    else if (key === 'ArrowRight') turnOrLeave('after')
    else if (key === 'c') commentHere()
    else if (key === 'Enter') enter()
    else if (key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onClick = (event: MouseEvent, row: DiffRow, index: number) => {
    if (row.kind === 'gap') {
      expand(row)
      return focus()
    }
    if (row.kind !== 'line' || !(event.target instanceof Element)) return
    const number = event.target.closest<HTMLElement>('[data-number]')?.dataset['number']
    const code = event.target.closest<HTMLElement>('[data-code]')?.dataset['code']
    const side = sideOn(row, (number ?? code) === 'before' ? 'before' : 'after')
    const line = row[side]
    if (line === null) return
    // Text that is being marked to be copied is no click.
    if (number === undefined && !document.getSelection()?.isCollapsed) return
    const from = rows[cursor.index]
    const begun = from?.kind === 'line' && cursor.side === side ? from[side] : null
    cursor.moveTo(index, { side, extend: event.shiftKey && begun !== null })
    if (number === undefined) return
    const other = event.shiftKey && begun !== null ? (cursor.range?.[0] ?? begun) : line
    comment(side, [Math.min(other, line), Math.max(other, line)])
  }
  /** What is marked from here on stays on this side: the other one can't be marked meanwhile. */
  const onMouseDown = ({ target }: MouseEvent) => {
    const code = target instanceof Element ? target.closest<HTMLElement>('[data-code]') : null
    if (scroller.current !== null) scroller.current.dataset['marking'] = code?.dataset['code'] ?? ''
  }
  const digits = Math.max(2, String(Math.max(diff.before.length, diff.after.length)).length)
  const items = virtualizer.getVirtualItems()
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 }
  // biome-ignore lint/correctness/useExhaustiveDependencies: as other lines come into sight
  useEffect(() => {
    const seen = rows.slice(startIndex, endIndex + 1)
    look({ before: linesIn(seen, 'before'), after: linesIn(seen, 'after') })
  }, [rows, startIndex, endIndex])
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows of a large file are drawn as needed, which <table> does not suit
    <div
      ref={scroller}
      role="grid"
      aria-label={`Changes of ${path}`}
      aria-rowcount={rows.length}
      aria-activedescendant={cursor.index < 0 ? undefined : `${id}-${cursor.index}`}
      aria-keyshortcuts="J K N P C Enter"
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseDown={onMouseDown}
      onFocus={() => cursor.index < 0 && cursor.moveTo(starts[0] ?? 0)}
      style={{ '--digits': digits } as CSSProperties}
      className={classNames(
        colors.colors,
        'group/grid min-h-0 flex-1 overflow-y-auto overflow-x-hidden font-mono text-[0.78125rem] leading-[1.6] focus-visible:-outline-offset-2',
        layout === 'split' &&
          '[&[data-marking=after]_[data-code=before]]:select-none [&[data-marking=before]_[data-code=after]]:select-none',
      )}
    >
      <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          const isCursor = item.index === cursor.index
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and says which row is meant
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              id={`${id}-${item.index}`}
              data-index={item.index}
              data-row={row.key}
              role="row"
              aria-rowindex={item.index + 1}
              aria-selected={isCursor}
              onClick={(event) => onClick(event, row, item.index)}
              className="absolute left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {row.kind === 'line' ? (
                <DiffLine
                  row={row}
                  diff={diff}
                  oldTokens={row.before === null ? undefined : colours.before[row.before]}
                  newTokens={row.after === null ? undefined : colours.after[row.after]}
                  layout={layout}
                  cursor={isCursor ? cursor.side : null}
                  selected={isIn(row[cursor.side], cursor.range) ? cursor.side : null}
                />
              ) : (
                // biome-ignore lint/a11y/useSemanticElements: as above
                // biome-ignore lint/a11y/useFocusableInteractive: as above
                <div role="gridcell">
                  {row.kind === 'gap' && <Gap row={row} after={diff.after} isCursor={isCursor} />}
                  {row.kind === 'note' && (
                    <p className="bg-bg-2 px-3 py-1 font-sans text-fg-1 text-sm">{row.text}</p>
                  )}
                  {row.kind === 'comment' && (
                    <CommentRow
                      draftKey={draftKey}
                      comment={row.comment}
                      stale={row.stale}
                      agentName={agentName}
                      onLeave={focus}
                    />
                  )}
                  {row.kind === 'editor' && (
                    <CommentEditor draftKey={draftKey} half={row.half} onLeave={focus} />
                  )}
                </div>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function linesIn(rows: readonly DiffRow[], side: DiffSide): LineRange {
  const lines = rows.flatMap((row) => (row.kind === 'line' && row[side] !== null ? [row[side]] : []))
  return { from: lines[0] ?? 0, to: (lines.at(-1) ?? -1) + 1 }
}

interface RowSources {
  readonly path: string
  readonly diff: FileDiff
  readonly layout: 'split' | 'unified'
  readonly whole: boolean
  readonly draftKey: string
  readonly expansions: Expansions
}

function useRows({ path, diff, layout, whole, draftKey, expansions }: RowSources): readonly DiffRow[] {
  const { comments, editing } = useReviewDraft(draftKey)
  return useMemo(() => {
    const isStale = (comment: DraftComment | HalfComment) =>
      diff[comment.side]
        .slice(comment.line - 1, comment.lastLine ?? comment.line)
        .join('\n')
        .slice(0, 4000) !== comment.quote
    return rowsOfDiff(diff.blocks, {
      layout,
      expansions,
      whole,
      comments: comments.filter((comment) => comment.path === path),
      editing: editing?.path === path ? editing : null,
      isStale,
      notes: diff.notes,
    })
  }, [path, diff, layout, whole, expansions, comments, editing])
}

interface GapProps {
  readonly row: GapRow
  readonly after: readonly string[]
  readonly isCursor: boolean
}

function Gap({ row, after, isCursor }: GapProps) {
  const around = useMemo(() => enclosing(after, row.upTo), [after, row.upTo])
  return (
    <div
      title="Show these lines"
      className={`flex cursor-pointer items-center gap-2 border-l-2 bg-bg-2 py-[3px] pr-2.5 pl-2 text-fg-2 hover:bg-bg-3 hover:text-fg-0 ${
        isCursor ? 'border-l-fg-3 text-fg-0 group-focus/grid:border-l-accent' : 'border-l-transparent'
      }`}
    >
      <UnfoldVertical size={12} aria-hidden="true" className="shrink-0" />
      <span className="shrink-0">{count(row.hidden, 'unchanged line')}</span>
      {around !== null && (
        <span className="min-w-0 truncate">
          <VisibleText>{around}</VisibleText>
        </span>
      )}
    </div>
  )
}

/** The line that names what the next shown one is in: a function, a class, a heading. */
function enclosing(lines: readonly string[], upTo: number): string | null {
  for (let index = upTo - 1; index >= Math.max(0, upTo - 2000); index--) {
    const line = lines[index] ?? ''
    if (/^[\p{L}_$#@]/u.test(line) && !/^(import|from|use|#include)\b/.test(line)) return line.slice(0, 200)
  }
  return null
}

function isIn(line: number | null, range: readonly [number, number] | null): boolean {
  return line !== null && range !== null && line >= range[0] && line <= range[1]
}
