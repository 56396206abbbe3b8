/** The virtual list of a transcript's rows. Only visible rows are in the page. */
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  type RefObject,
  useCallback,
  useImperativeHandle,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
} from 'react'
import { classNames } from '../../ui/text/class-names.ts'
import type { DisplayRow } from './rows/row-groups.ts'
import { estimateHeight, RowView } from './rows/row-view.tsx'
import { selectedRows } from './selection/keep-selection.tsx'
import { TAKEN_OUT, useSurroundings, useTakenOutFrom } from './surroundings.ts'

export interface RowListHandle {
  /** Scrolls to the estimated position of a row. */
  showRow(index: number): void
}

interface RowListProps {
  /** Grows in place; `version` changes each time. */
  readonly rows: readonly DisplayRow[]
  readonly version: number
  /** The number of rows in the list. The rows after them are the tail. */
  readonly count: number
  /** Known heights in px, by key. */
  readonly heights: ReadonlyMap<string, number>
  /** The scrolling element. It must exist before the list. */
  readonly scroller: HTMLElement
  readonly density: 'panel' | 'conversation'
  readonly handle: RefObject<RowListHandle | null>
  /** Fixes and releases the height of the content, around each change of the rows. */
  readonly holdHeight: (hold: boolean) => void
}

/** The gap between rows in px. The gap belongs to the row below, so that an empty row takes no space. */
const GAPS = { panel: 8, conversation: 14 } as const

export const RowList = memo(function RowList(props: RowListProps) {
  const { rows, version, count, heights, scroller, density, handle, holdHeight } = props
  const gap = GAPS[density]
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows])
  const estimateSize = useCallback(
    (index: number) => {
      const row = rows[index]
      const known = row && heights.get(row.key)
      if (known !== undefined) return known
      const height = row ? estimateHeight(row) : 0
      return height === 0 ? 0 : height + gap
    },
    [rows, heights, gap],
  )
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    getItemKey,
    estimateSize,
    overscan: 4,
    rangeExtractor: useCallback((range: Range) => withSelection(range, scroller), [scroller]),
    // Prepended rows keep the visible rows in position. Following the end is not left to the library:
    // the content continues below the rows, and the view must not move when the user opens a row.
    anchorTo: 'end',
    scrollEndThreshold: -1,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    // A transcript opens at its end. The browser clamps larger offsets.
    initialOffset: () =>
      Array.from({ length: count }, (_, index) => estimateSize(index)).reduce((sum, size) => sum + size, 0),
  })
  useImperativeHandle(
    handle,
    () => ({
      showRow(index) {
        // Not the library's own scrolling, which continues for seconds and would move the view away from a match.
        const offset = virtualizer.getOffsetForIndex(index, 'center')?.[0]
        if (offset !== undefined) scroller.scrollTop = offset
      },
    }),
    [virtualizer, scroller],
  )
  // New rows are measured before the list grows, when the streamed text below is already gone.
  // Without a fixed height, the content would be lower for that moment, and the browser would scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useInsertionEffect(() => holdHeight(true), [holdHeight, version, count])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useLayoutEffect(() => holdHeight(false), [holdHeight, version, count])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  const spoken = useMemo(() => lastSpoken(rows), [rows, version])
  const { agentId } = useSurroundings()
  const takenOutFrom = useTakenOutFrom(agentId)
  return (
    <div ref={virtualizer.containerRef} className="relative w-full shrink-0">
      {virtualizer.getVirtualItems().map((item) => {
        const row = rows[item.index]
        if (row === undefined) return null
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            data-row={row.key}
            className={classNames('absolute left-0 w-full', row.seq >= takenOutFrom && TAKEN_OUT)}
          >
            {/* Padding, since a margin would not be measured. */}
            <div className={item.index > 0 ? 'not-empty:pt-(--row-gap)' : ''}>
              <RowView row={row} past={item.index < spoken} />
            </div>
          </div>
        )
      })}
    </div>
  )
})

/** Maximum rows from a selection to the view that stay in the page. */
const MOST_SELECTED = 300

/** The visible rows, and the rows of a selection, which would be lost without its elements. */
function withSelection(range: Range, scroller: HTMLElement): number[] {
  const visible = defaultRangeExtractor(range)
  const selected = selectedRows(scroller).flatMap((key) => {
    const index = scroller.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`)?.dataset['index']
    return index === undefined ? [] : [Number(index)]
  })
  if (selected.length === 0) return visible
  const first = Math.min(...selected, visible[0] ?? 0)
  const last = Math.max(...selected, visible.at(-1) ?? 0)
  if (last - first > MOST_SELECTED) return visible
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
}

const SPOKEN: ReadonlySet<DisplayRow['kind']> = new Set([
  'text',
  'thinking',
  'tool',
  'group',
  'agents',
  'ended',
])

/** The index of the last row with output of the model. */
export function lastSpoken(rows: readonly DisplayRow[]): number {
  return rows.findLastIndex((row) => SPOKEN.has(row.kind))
}
