/** A list or a tree of files by their paths. Virtualized: only visible rows, and the active one, are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { classNames } from '../../../ui/text/class-names.ts'

interface PathRow {
  readonly path: string
}

interface PathListProps<T extends PathRow> {
  readonly label: string
  readonly files: readonly T[]
  /** Null: no file is selected. */
  readonly path: string | null
  /** The row that the keys act on. Default: the selected one. */
  readonly active?: string | null
  /** The place of a row in the tree. Missing: a list. `isOpen`: null for a row without rows of its own. */
  readonly placeOf?: (file: T) => { readonly level: number; readonly isOpen: boolean | null }
  readonly onSelect: (path: string) => void
  /** Gets the list, for the focus. */
  readonly list: RefObject<HTMLDivElement | null>
  /** Height of a row in px, at a text size of 100 %. */
  readonly rowHeight?: number
  readonly rowClassName: string
  readonly className?: string
  /** Of what scrolls around the list. */
  readonly scrollerClassName: string
  /** Instead of an empty list. */
  readonly empty?: ReactNode
  /** Below the list. */
  readonly children?: ReactNode
  /** The keys that work in the list, for screen readers. */
  readonly keys?: string
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly renderRow: (file: T) => ReactNode
}

export function PathList<T extends PathRow>(props: PathListProps<T>) {
  const { label, files, path, onSelect, list, rowHeight = 26, keys, onKeyDown } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const { active = path, placeOf } = props
  const at = files.findIndex((file) => file.path === active)
  const virtualizer = useFileVirtualizer({ files, active: at, scroller, rowHeight })
  return (
    <div ref={scroller} className={props.scrollerClassName}>
      {files.length === 0 && props.empty !== undefined ? (
        props.empty
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: it has one of two roles
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support them
        <div
          ref={list}
          role={placeOf === undefined ? 'listbox' : 'tree'}
          aria-label={label}
          aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
          aria-keyshortcuts={keys}
          tabIndex={0}
          onKeyDown={onKeyDown}
          className={classNames('group/files relative outline-none', props.className)}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map((item) => {
            const file = files[item.index]
            if (file === undefined) return null
            const isActive = item.index === at
            const isSelected = file.path === path
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list, or the view around it, handles the keys
              // biome-ignore lint/a11y/noStaticElementInteractions: it has one of two roles
              // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support them
              <div
                key={item.key}
                id={`${id}-${item.index}`}
                role={placeOf === undefined ? 'option' : 'treeitem'}
                {...positionOf(placeOf?.(file), { index: item.index, count: files.length })}
                aria-selected={isSelected}
                onClick={() => onSelect(file.path)}
                className={classNames(
                  'absolute left-0 w-full border-l-2 border-l-transparent px-3 text-sm',
                  props.rowClassName,
                  isSelected ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
                  isActive && 'group-focus-visible/files:border-l-accent',
                )}
                style={{ height: item.size, transform: `translateY(${item.start}px)` }}
              >
                {props.renderRow(file)}
              </div>
            )
          })}
        </div>
      )}
      {props.children}
    </div>
  )
}

function positionOf(
  place: { readonly level: number; readonly isOpen: boolean | null } | undefined,
  { index, count }: { readonly index: number; readonly count: number },
) {
  return place === undefined
    ? { 'aria-setsize': count, 'aria-posinset': index + 1 }
    : { 'aria-level': place.level, 'aria-expanded': place.isOpen ?? undefined }
}

function useFileVirtualizer({
  files,
  active,
  scroller,
  rowHeight,
}: Required<Pick<PathListProps<PathRow>, 'files' | 'rowHeight'>> & {
  readonly active: number
  readonly scroller: RefObject<HTMLDivElement | null>
}) {
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => files[index]?.path ?? index,
    estimateSize: () => rowHeight,
    overscan: 12,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = new Set<number>()
      for (let index = from; index <= to; index++) rendered.add(index)
      if (active >= 0 && active < count) rendered.add(active)
      return [...rendered].sort((a, b) => a - b)
    },
  })
  useEffect(() => {
    if (active !== -1) virtualizer.scrollToIndex(active, { align: 'auto' })
  }, [virtualizer, active])
  return virtualizer
}
