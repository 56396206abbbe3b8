/** A list of files by their paths. Virtualized: only visible rows, and the selected one, are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId } from 'react'
import { useSession } from '../../../stores/session-store.ts'
import { classNames } from '../../../ui/text/class-names.ts'

interface PathRow {
  readonly path: string
}

interface PathListProps<T extends PathRow> {
  readonly label: string
  readonly files: readonly T[]
  /** Null: no file is selected. */
  readonly path: string | null
  readonly onSelect: (path: string) => void
  /** What scrolls around the list. */
  readonly scroller: RefObject<HTMLDivElement | null>
  /** Gets the list, for the focus. */
  readonly list: RefObject<HTMLDivElement | null>
  /** Height of a row in px, at a text size of 100 %. */
  readonly rowHeight?: number
  readonly rowClassName: string
  readonly className?: string
  /** The keys that work in the list, for screen readers. */
  readonly keys?: string
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly renderRow: (file: T) => ReactNode
}

export function PathList<T extends PathRow>(props: PathListProps<T>) {
  const { label, files, path, onSelect, scroller, list, rowHeight = 26, keys, onKeyDown } = props
  const id = useId()
  const selected = files.findIndex((file) => file.path === path)
  const virtualizer = useFileVirtualizer({ files, selected, scroller, rowHeight })
  return (
    <div
      ref={list}
      role="listbox"
      aria-label={label}
      aria-activedescendant={selected === -1 ? undefined : `${id}-${selected}`}
      aria-keyshortcuts={keys}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={classNames('group/files relative outline-none', props.className)}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map((item) => {
        const file = files[item.index]
        if (file === undefined) return null
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list, or the view around it, handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
          <div
            key={item.key}
            id={`${id}-${item.index}`}
            role="option"
            aria-selected={item.index === selected}
            aria-setsize={files.length}
            aria-posinset={item.index + 1}
            onClick={() => onSelect(file.path)}
            className={classNames(
              'absolute left-0 w-full border-l-2 border-l-transparent px-3 text-sm',
              props.rowClassName,
              item.index === selected
                ? 'bg-bg-3 text-fg-0 group-focus-visible/files:border-l-accent'
                : 'text-fg-1 hover:bg-bg-2',
            )}
            style={{ height: item.size, transform: `translateY(${item.start}px)` }}
          >
            {props.renderRow(file)}
          </div>
        )
      })}
    </div>
  )
}

function useFileVirtualizer({
  files,
  selected,
  scroller,
  rowHeight,
}: Required<Pick<PathListProps<PathRow>, 'files' | 'scroller' | 'rowHeight'>> & {
  readonly selected: number
}) {
  const scale = useSession((state) => state.settings.textSize) / 100
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => files[index]?.path ?? index,
    estimateSize: () => Math.round(rowHeight * scale),
    overscan: 12,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = new Set<number>()
      for (let index = from; index <= to; index++) rendered.add(index)
      if (selected >= 0 && selected < count) rendered.add(selected)
      return [...rendered].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: row heights depend on the text size
  useEffect(() => virtualizer.measure(), [virtualizer, scale])
  useEffect(() => {
    if (selected !== -1) virtualizer.scrollToIndex(selected, { align: 'auto' })
  }, [virtualizer, selected])
  return virtualizer
}
