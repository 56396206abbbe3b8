/** The rows of a transcript, of which only those in sight are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  type RefObject,
  useCallback,
  useImperativeHandle,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
} from 'react'
import type { TranscriptRow } from '../../../shared/transcript-rows.ts'
import { estimateHeight, RowView } from './rows/row-view.tsx'

export interface RowListHandle {
  /** Brings a row into the middle of what is seen. */
  showRow(index: number): void
}

export interface RowListProps {
  /** Grows in place; `version` says that it did. */
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** How many of them are drawn here; the rest is the tail. */
  readonly count: number
  /** Heights that are known already, in px, by key. */
  readonly heights: ReadonlyMap<string, number>
  /** The element that scrolls; it has to be there before the list is. */
  readonly scroller: HTMLElement
  readonly density: 'panel' | 'conversation'
  readonly handle: RefObject<RowListHandle | null>
  /** Holds the height of everything, and lets go of it: around each change of the rows. */
  readonly holdHeight: (hold: boolean) => void
}

/** Px between rows. It belongs to the row below, so that a row that shows nothing takes none. */
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
    // Rows put in front of the first keep what is read in its place. Keeping to the end is not left to it:
    // there is more below the rows, and who opens a row wants to stay where they are.
    anchorTo: 'end',
    scrollEndThreshold: -1,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    // The end is where a transcript is opened: what is beyond it is taken back to it.
    initialOffset: () =>
      Array.from({ length: count }, (_, index) => estimateSize(index)).reduce((sum, size) => sum + size, 0),
  })
  useImperativeHandle(
    handle,
    () => ({ showRow: (index) => virtualizer.scrollToIndex(index, { align: 'center' }) }),
    [virtualizer],
  )
  // New rows are measured before the list has grown for them, while what streamed below is gone already:
  // for that moment everything would be lower than it was, and the browser would move the place in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useInsertionEffect(() => holdHeight(true), [holdHeight, version, count])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useLayoutEffect(() => holdHeight(false), [holdHeight, version, count])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  const spoken = useMemo(() => lastSpoken(rows), [rows, version])
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
            className="absolute left-0 w-full"
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

const SPOKEN: ReadonlySet<TranscriptRow['kind']> = new Set(['text', 'thinking', 'tool', 'agents', 'ended'])

/** The index of the last row that the model itself made. */
export function lastSpoken(rows: readonly TranscriptRow[]): number {
  return rows.findLastIndex((row) => SPOKEN.has(row.kind))
}
