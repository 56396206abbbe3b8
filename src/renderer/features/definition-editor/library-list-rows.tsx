/** The rows of the list, of which only those in sight are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { Plus } from 'lucide-react'
import { type RefObject, useEffect } from 'react'
import { useSession } from '../../stores/session-store.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { showDialog, useEditor } from './editor-store.ts'
import type { ListKeys } from './library-list-keys.ts'
import { EntryRow } from './library-list-row.tsx'
import type { LibraryRow } from './library-rows.ts'

interface LibraryListRowsProps {
  readonly rows: readonly LibraryRow[]
  readonly list: ListKeys
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly unsaved: ReadonlySet<string>
}

/** Of two thousand only those in sight are in the page. */
export function LibraryListRows({ rows, list, scroller, unsaved }: LibraryListRowsProps) {
  const selected = useEditor((state) => state.selected)
  const scale = useSession((state) => state.settings.textSize) / 100
  const activeIndex = rows.findIndex(({ key }) => key === list.active)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => Math.round(heightOf(rows[index], index) * scale),
    overscan: 12,
    // The row with the focus stays in the page wherever the list is scrolled to.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const seen = Array.from({ length: to - from + 1 }, (_, step) => from + step)
      return activeIndex === -1 || (activeIndex >= from && activeIndex <= to)
        ? seen
        : [...seen, activeIndex].sort((a, b) => a - b)
    },
  })
  // Heights depend on what the rows are, and on the size of the text.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are what the heights are made of
  useEffect(() => virtualizer.measure(), [virtualizer, rows, scale])
  const { moved } = list
  useEffect(() => {
    if (activeIndex !== -1 && moved > 0) virtualizer.scrollToIndex(activeIndex, { align: 'auto' })
  }, [virtualizer, activeIndex, moved])
  return (
    // biome-ignore lint/a11y/useSemanticElements: its items stand apart from each other, as <ul> does not have them
    <div role="list" aria-label="Agents" className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => {
        const row = rows[item.index]
        if (row === undefined) return null
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            key={item.key}
            role="listitem"
            className="absolute left-0 w-full"
            style={{ height: item.size, transform: `translateY(${item.start}px)` }}
          >
            {row.kind === 'group' ? (
              <GroupRow row={row} />
            ) : (
              <EntryRow
                entry={row.entry}
                isUnsaved={unsaved.has(row.key)}
                isSelected={row.key === selected}
                isActive={row.key === list.active}
                moved={moved}
                focusWanted={list.focusWanted}
                onOpen={list.open}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

function heightOf(row: LibraryRow | undefined, index: number): number {
  if (row?.kind !== 'group') return 26
  return (row.isEmpty ? 50 : 28) + (index === 0 ? 2 : 6)
}

function GroupRow({ row }: { readonly row: Extract<LibraryRow, { kind: 'group' }> }) {
  const { title, source, isEmpty } = row
  return (
    <div className="flex h-full flex-col justify-end">
      <div className="flex h-7 items-center justify-between pr-2.5 pl-3.5">
        <h2 className="side-heading truncate">{title}</h2>
        {source !== null && (
          <IconButton
            label={source === 'project' ? 'New agent of this project' : 'New agent of yours'}
            icon={Plus}
            onClick={() => showDialog({ kind: 'new', source })}
          />
        )}
      </div>
      {isEmpty && <p className="h-[1.375rem] truncate px-3.5 text-fg-2 text-sm">None yet.</p>}
    </div>
  )
}
