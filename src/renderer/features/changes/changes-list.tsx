/** The list of changes. Virtualized: only visible rows, and the selected one, are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { changesFocused, useChanges } from '../../stores/changes-store.ts'
import { ChangeRow, type RowActions } from './change-rows-view.tsx'
import type { ListRow } from './changes-rows.ts'

/** Heights in px, at a text size of 100 %. A note may have more lines: it is measured. */
const HEIGHTS = {
  agent: 28,
  message: 28,
  user: 28,
  file: 24,
  command: 24,
  note: 22,
  'user-file': 24,
} as const

interface ChangesListProps {
  readonly rows: readonly ListRow[]
  /** The key of the selected file; null: none. */
  readonly selected: string | null
  readonly actions: RowActions
}

export function ChangesRows({ rows, selected, actions }: ChangesListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const selectedIndex = rows.findIndex(({ key }) => key === selected)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'file'],
    overscan: 12,
    paddingStart: 6,
    paddingEnd: 6,
    // The row with the focus is always rendered.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = Array.from({ length: to - from + 1 }, (_, step) => from + step)
      return selectedIndex === -1 || (selectedIndex >= from && selectedIndex <= to)
        ? rendered
        : [...rendered, selectedIndex].sort((a, b) => a - b)
    },
  })
  const items = virtualizer.getVirtualItems()
  // A list that just opened has no rows yet: they come when its height is known.
  const isReady = selectedIndex === -1 || items.some(({ index }) => index === selectedIndex)
  const wantsFocus = useChanges((state) => state.wantsFocus)
  useEffect(() => {
    if (!wantsFocus || !isReady) return
    if (selectedIndex !== -1) virtualizer.scrollToIndex(selectedIndex, { align: 'auto' })
    const row = scroller.current?.querySelector<HTMLElement>('[data-file-row][aria-current="true"]')
    const target = row ?? scroller.current
    target?.focus({ preventScroll: true })
    changesFocused()
  }, [virtualizer, wantsFocus, isReady, selectedIndex])
  return (
    <section
      ref={scroller}
      aria-label="Changed files"
      aria-keyshortcuts="J K N P U O Enter"
      tabIndex={selectedIndex === -1 ? 0 : -1}
      className="@container/list min-h-0 min-w-0 overflow-y-auto border-line border-r bg-bg-1 outline-none"
    >
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            <div
              key={item.key}
              ref={row.kind === 'note' ? virtualizer.measureElement : null}
              data-index={item.index}
              className="absolute left-0 w-full"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <ChangeRow row={row} isSelected={item.index === selectedIndex} actions={actions} />
            </div>
          )
        })}
      </div>
    </section>
  )
}
