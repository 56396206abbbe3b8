/**
 * The lines of a file's diff, virtualized. The grid has the focus; its keys move a cursor, comment on lines and
 * expand gaps.
 */

import { Undo2 } from 'lucide-react'
import {
  type CSSProperties,
  type Ref,
  type RefObject,
  type UIEvent,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { DiffPart } from '../../../../shared/worktrees/review.ts'
import { IconButton } from '../../../ui/button.tsx'
import codeStyles from '../../../ui/code/code-colors.module.css'
import { classNames } from '../../../ui/text/class-names.ts'
import { type CommentAnchor, type SentComment, useReviewDraft } from '../review-comments.ts'
import type { LineRange } from './coloring.ts'
import { DiffGridRow } from './diff-grid-row.tsx'
import {
  changedPart,
  changeStarts,
  type DiffRow,
  type DiffSide,
  type Expansions,
  type GapRow,
  rowsOfDiff,
} from './diff-rows.ts'
import type { FileDiff } from './diff-worker-client.ts'
import { useColors } from './use-colors.ts'
import { DiffFindBar, useFind } from './use-find.tsx'
import {
  type DiffGridHandle,
  quoteOf,
  useCursor,
  useGridKeys,
  useGridMouse,
  useGridNavigation,
  useLineComments,
} from './use-grid-navigation.ts'
import { useDiffVirtualizer, useScrollAnchor } from './use-scroll-anchor.ts'

interface DiffGridProps {
  readonly path: string
  readonly diff: FileDiff
  readonly layout: 'split' | 'unified'
  readonly whole: boolean
  readonly wrap: boolean
  readonly draftKey: string
  readonly agentName: string
  readonly sent: readonly SentComment[]
  /** Takes changed lines back; null: not possible now. */
  readonly onTakeBack: ((part: DiffPart) => void) | null
  /** Moves the focus back to the files. */
  readonly onLeave: () => void
  readonly handle: Ref<DiffGridHandle>
  readonly arrival: RefObject<Arrival | null>
}

/** The user moved to this file from the changes of the previous file (1) or the next one (-1). */
export interface Arrival {
  readonly path: string
  readonly direction: 1 | -1
}

export function DiffGrid(props: DiffGridProps) {
  const { path, diff, layout, whole, wrap, draftKey, agentName, sent, onTakeBack, onLeave, handle, arrival } =
    props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const { colors, setVisible } = useColors(path, diff)
  const { rows, expand, reveal } = useDiffRows({ path, diff, layout, whole, draftKey, sent })
  const starts = useMemo(() => changeStarts(rows), [rows])
  const cursor = useCursor(rows)
  const { virtualizer, pageSize } = useDiffVirtualizer({ rows, cursorIndex: cursor.index, scroller })
  useScrollAnchor({ rows, diff, layoutKey: `${layout} ${whole} ${wrap}`, virtualizer })
  const focus = () => scroller.current?.focus({ preventScroll: true })
  const { moveTo, moveBy } = useGridNavigation({
    rows,
    starts,
    cursor,
    virtualizer,
    focus,
    handle,
    arrivalDirection: () => {
      const arrived = arrival.current
      if (arrived?.path !== path) return null
      arrival.current = null
      return arrived.direction
    },
  })
  const find = useFind({ diff, rows, moveTo, reveal })
  const { commentOn, commentAtCursor } = useLineComments({ path, diff, draftKey, rows, cursor })
  const changes = useMemo(() => new Set(starts), [starts])
  const takeBack = (row: DiffRow | undefined) => takeBackChange(diff, row, onTakeBack)
  const onKeyDown = useGridKeys({
    rows,
    cursor,
    layout,
    pageSize,
    moveTo,
    moveBy,
    expand,
    commentAtCursor,
    takeBackAtCursor: onTakeBack === null ? null : () => takeBack(rows[cursor.index]),
    focusEditor: () => scroller.current?.querySelector<HTMLElement>('[data-comment-editor]')?.focus(),
    scrollSideways: wrap ? null : (direction) => scroller.current?.scrollBy({ left: direction * SIDEWAYS }),
    onLeave,
  })
  const { onRowClick, onMouseDown, onMouseOver } = useGridMouse({
    rows,
    cursor,
    scroller,
    focus,
    expand,
    moveTo,
    commentOn,
  })
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when other lines become visible
  useEffect(() => {
    const visible = rows.slice(startIndex, endIndex + 1)
    setVisible({ before: lineRange(visible, 'before'), after: lineRange(visible, 'after') })
  }, [rows, startIndex, endIndex])
  const columns = useMemo(() => (wrap ? 0 : longestLine(diff)), [wrap, diff])
  const digits = Math.max(2, String(Math.max(diff.before.length, diff.after.length)).length)
  return (
    <>
      {find.text !== null && <DiffFindBar find={find} path={path} onLeave={focus} />}
      {/* biome-ignore lint/a11y/useSemanticElements: rows are rendered as needed, which <table> does not allow */}
      <div
        ref={scroller}
        role="grid"
        aria-label={`Changes of ${path}`}
        aria-rowcount={rows.length}
        aria-activedescendant={cursor.index < 0 ? undefined : `${id}-${cursor.index}`}
        aria-keyshortcuts="J K N P C B Enter"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseDown={onMouseDown}
        onMouseOver={onMouseOver}
        onFocus={() => cursor.index < 0 && cursor.moveTo(starts[0] ?? 0)}
        onScroll={placeText}
        data-wrap={wrap ? 'on' : 'off'}
        style={{ '--digits': digits, '--columns': columns } as CSSProperties}
        className={classNames(
          codeStyles.colors,
          'group/grid min-h-0 flex-1 overflow-y-auto font-mono text-[0.78125rem] leading-[1.6] focus-visible:-outline-offset-2',
          wrap ? 'overflow-x-hidden' : '@container overflow-x-auto',
          layout === 'split' &&
            '[&[data-marking=after]_[data-code=before]]:select-none [&[data-marking=before]_[data-code=after]]:select-none',
        )}
      >
        <div
          role="presentation"
          className={classNames('relative', !wrap && WIDTHS[layout])}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                id={`${id}-${item.index}`}
                data-index={item.index}
                data-row={row.key}
                role="row"
                aria-rowindex={item.index + 1}
                aria-selected={item.index === cursor.index}
                onClick={(event) => onRowClick(event, row, item.index)}
                className="group/row absolute left-0 w-full"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {/* Stays in place while only the text of the lines moves. */}
                <div role="presentation" className={wrap ? 'relative' : 'sticky left-0 w-[100cqw]'}>
                  <DiffGridRow
                    row={row}
                    diff={diff}
                    colors={colors}
                    layout={layout}
                    cursor={cursor}
                    isCursor={item.index === cursor.index}
                    sought={find.text ?? ''}
                    draftKey={draftKey}
                    agentName={agentName}
                    onLeaveComment={focus}
                  />
                  {onTakeBack !== null && changes.has(item.index) && (
                    <TakeBackButton
                      isShown={item.index === cursor.index}
                      onClick={() => {
                        focus()
                        takeBack(row)
                      }}
                    />
                  )}
                </div>
              </div>
            )
          })}
        </div>
      </div>
    </>
  )
}

/** Takes back the change that a row belongs to; nothing if the row has no changed line. */
function takeBackChange(
  { blocks }: FileDiff,
  row: DiffRow | undefined,
  onTakeBack: DiffGridProps['onTakeBack'],
): void {
  const part = row === undefined ? null : changedPart(blocks, row)
  if (part !== null) onTakeBack?.(part)
}

/** The lines of one side that the rows cover. */
function lineRange(rows: readonly DiffRow[], side: DiffSide): LineRange {
  const lines = rows.flatMap((row) => (row.kind === 'line' && row[side] !== null ? [row[side]] : []))
  return { from: lines[0] ?? 0, to: (lines.at(-1) ?? -1) + 1 }
}

/** How far a key scrolls, in px. */
const SIDEWAYS = 160

/** The width of the scrolled area: as much wider than the grid as the longest line is than the room for it. */
const WIDTHS = {
  unified: 'w-[max(100%,calc(var(--columns)*1ch+var(--digits)*2ch+12ch))]',
  split: 'w-[max(100%,calc(50%+var(--columns)*1ch+var(--digits)*1ch+9.4ch))]',
} as const

/** Moves the text of the lines to the scroll position. */
function placeText({ currentTarget }: UIEvent<HTMLElement>): void {
  const { style, scrollLeft } = currentTarget
  const next = String(scrollLeft)
  // A scroll up or down moves no text.
  if ((style.getPropertyValue('--sideways') || '0') !== next) style.setProperty('--sideways', next)
}

/** Columns that a character takes at most: an invisible one is spelled out. */
const WIDEST = 8
/** Longer lines are cut, with a note. */
const LONGEST = 3040

/** The columns of the longest line, rounded up. */
function longestLine({ before, after }: Pick<FileDiff, 'before' | 'after'>): number {
  let longest = 0
  for (const lines of [before, after])
    for (const line of lines) if (line.length * WIDEST > longest) longest = Math.max(longest, columnsOf(line))
  return Math.min(LONGEST, longest)
}

function columnsOf(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length
  let columns = 0
  for (const character of line)
    columns +=
      character === '\t'
        ? 4
        : /[\p{C}\p{Z}]/u.test(character) && character !== ' '
          ? WIDEST
          : character > '\u02ff'
            ? 2
            : 1
  return columns
}

interface TakeBackButtonProps {
  /** Whether the cursor is on the change. Otherwise the button appears under the pointer. */
  readonly isShown: boolean
  readonly onClick: () => void
}

/** The button in the first line of a change that takes the change back. The keyboard has B instead. */
function TakeBackButton({ isShown, onClick }: TakeBackButtonProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are rendered as needed, which <td> does not allow
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
    <span
      role="gridcell"
      className={classNames(
        'absolute top-0 right-1 flex h-full max-h-6 items-center font-sans opacity-0 group-hover/row:opacity-100',
        isShown && 'group-focus/grid:opacity-100',
      )}
    >
      <IconButton
        icon={Undo2}
        label="Take back this change"
        keys="B"
        tabIndex={-1}
        className="bg-bg-2"
        onClick={(event) => {
          event.stopPropagation()
          onClick()
        }}
      />
    </span>
  )
}

/** Lines that a gap expands by at each end. */
const STEP = 20

interface DiffRowsOptions {
  readonly path: string
  readonly diff: FileDiff
  readonly layout: 'split' | 'unified'
  readonly whole: boolean
  readonly draftKey: string
  readonly sent: readonly SentComment[]
}

interface DiffRows {
  readonly rows: readonly DiffRow[]
  readonly expand: (gap: GapRow) => void
  /** Shows all lines of an unchanged block. */
  readonly reveal: (block: number) => void
}

/** The rows of a diff with its comments, and the gaps that the user has expanded. */
function useDiffRows({ path, diff, layout, whole, draftKey, sent }: DiffRowsOptions): DiffRows {
  const [expansions, setExpansions] = useState<Expansions>(new Map())
  const { comments, editing } = useReviewDraft(draftKey)
  const rows = useMemo(() => {
    const isStale = ({ side, line, lastLine, quote }: CommentAnchor) =>
      quoteOf(diff[side], [line - 1, (lastLine ?? line) - 1]) !== quote
    return rowsOfDiff(diff.blocks, {
      layout,
      expansions,
      whole,
      comments: comments.filter((comment) => comment.path === path),
      sent: sent.filter(({ comment }) => comment.path === path),
      editing: editing?.path === path ? editing : null,
      isStale,
      notes: diff.notes,
    })
  }, [path, diff, layout, whole, expansions, comments, sent, editing])
  const expand = (gap: GapRow) =>
    setExpansions((known) => {
      const { top, bottom } = known.get(gap.block) ?? { top: 0, bottom: 0 }
      // A gap not much larger than two steps expands fully.
      const step = gap.hidden <= STEP * 2 + 10 ? gap.hidden : STEP
      return new Map(known).set(gap.block, { top: top + step, bottom: bottom + step })
    })
  const reveal = (block: number) =>
    setExpansions((known) => new Map(known).set(block, { top: Number.MAX_SAFE_INTEGER, bottom: 0 }))
  return { rows, expand, reveal }
}
