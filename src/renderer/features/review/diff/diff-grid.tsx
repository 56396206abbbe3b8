/**
 * The lines of a file's diff, virtualized. The grid has the focus; its keys move a cursor, comment on lines and
 * expand gaps.
 */
import { type CSSProperties, type Ref, type RefObject, useEffect, useId, useMemo, useRef } from 'react'
import type { DiffPart } from '../../../../shared/review.ts'
import { classNames } from '../../../ui/class-names.ts'
import codeStyles from '../../../ui/code/code-colors.module.css'
import type { SentComment } from '../sent-comments.ts'
import type { LineRange } from './coloring.ts'
import { DiffGridRow } from './diff-grid-row.tsx'
import { changedPart, changeStarts, type DiffRow, type DiffSide } from './diff-rows.ts'
import { FindBar } from './find-bar.tsx'
import { longestLine, placeText, SIDEWAYS, WIDTHS } from './sideways.ts'
import { TakeBackButton } from './take-back-button.tsx'
import { useColors } from './use-colors.ts'
import { useCursor } from './use-cursor.ts'
import type { FileDiff } from './use-diff.ts'
import { useDiffRows } from './use-diff-rows.ts'
import { useDiffVirtualizer } from './use-diff-virtualizer.ts'
import { useFind } from './use-find.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { useGridMouse } from './use-grid-mouse.ts'
import { type DiffGridHandle, useGridNavigation } from './use-grid-navigation.ts'
import { useLineComments } from './use-line-comments.ts'
import { useScrollAnchor } from './use-scroll-anchor.ts'

export interface DiffGridProps {
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
      {find.text !== null && <FindBar find={find} path={path} onLeave={focus} />}
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
