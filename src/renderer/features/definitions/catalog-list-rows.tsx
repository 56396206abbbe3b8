/** The rows of the agent list. Virtualized: only visible rows are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { Plus } from 'lucide-react'
import { type RefObject, useEffect } from 'react'
import { useSession } from '../../stores/session-store.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import type { ListKeys } from './catalog-list-keys.ts'
import { EntryRow } from './catalog-list-row.tsx'
import type { CatalogRow } from './catalog-rows.ts'
import { showDialog, useEditor } from './editor-store.ts'

interface CatalogListRowsProps {
  readonly rows: readonly CatalogRow[]
  readonly list: ListKeys
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly unsaved: ReadonlySet<string>
}

export function CatalogListRows({ rows, list, scroller, unsaved }: CatalogListRowsProps) {
  const selected = useEditor((state) => state.selected)
  const scale = useSession((state) => state.settings.textSize) / 100
  const activeIndex = rows.findIndex(({ key }) => key === list.active)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => Math.round(heightOf(rows[index], index) * scale),
    overscan: 12,
    // The row with the focus is always rendered.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = Array.from({ length: to - from + 1 }, (_, step) => from + step)
      return activeIndex === -1 || (activeIndex >= from && activeIndex <= to)
        ? rendered
        : [...rendered, activeIndex].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: heights depend on the rows and the text size
  useEffect(() => virtualizer.measure(), [virtualizer, rows, scale])
  const { moved } = list
  useEffect(() => {
    if (activeIndex !== -1 && moved > 0) virtualizer.scrollToIndex(activeIndex, { align: 'auto' })
  }, [virtualizer, activeIndex, moved])
  return (
    // biome-ignore lint/a11y/useSemanticElements: items are positioned one by one, which <ul> does not allow
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
                showsPath={row.showsPath}
                where={row.where}
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

function heightOf(row: CatalogRow | undefined, index: number): number {
  if (row?.kind !== 'group') return row?.showsPath ? 40 : 26
  return (row.isEmpty ? 50 : 28) + (index === 0 ? 2 : 6)
}

function GroupRow({ row }: { readonly row: Extract<CatalogRow, { kind: 'group' }> }) {
  const { title, source, isEmpty } = row
  return (
    <div className="flex h-full flex-col justify-end">
      <div className="flex h-7 items-center justify-between pr-2.5 pl-3.5">
        <h2 className="side-heading truncate">{title}</h2>
        {source !== null && (
          <IconButton
            label={source === 'project' ? 'New project agent' : 'New user agent'}
            icon={Plus}
            onClick={() => showDialog({ kind: 'new', source })}
          />
        )}
      </div>
      {isEmpty && <p className="h-[1.375rem] truncate px-3.5 text-fg-2 text-sm">None yet.</p>}
    </div>
  )
}
