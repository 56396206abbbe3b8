/** The agents at the left: groups, search as you type, and everything that can be done with one by keys. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { Plus, Search, X } from 'lucide-react'
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSession } from '../../stores/session-store.ts'
import { askAboutTrust } from '../../stores/trust-store.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { askToRename, trashDefinition } from './definition-files.ts'
import { showDialog, useEditor } from './editor-store.ts'
import { EntryRow } from './library-list-row.tsx'
import { allEntries, type LibraryRow, rowsOf } from './library-rows.ts'
import { selectDefinition } from './open-definition.ts'
import { useWritableSources } from './use-writable-sources.ts'

interface LibraryListProps {
  /** Moves the focus to the text of the one that is selected. */
  readonly onEnter: () => void
}

export function LibraryList({ onEnter }: LibraryListProps) {
  const library = useEditor((state) => state.library)
  const opened = useEditor((state) => state.opened)
  const unsaved = useEditor((state) => state.unsaved)
  const [query, setQuery] = useState('')
  const entries = useMemo(() => allEntries({ library, opened, unsaved }), [library, opened, unsaved])
  const sought = useDeferredValue(query)
  const sources = useWritableSources()
  const rows = useMemo(() => rowsOf(entries, sought, sources), [entries, sought, sources])
  const search = useRef<HTMLInputElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const list = useListKeys(rows, { scroller, search, onEnter, setQuery })

  const onSearchKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') list.enterAt('first')
    else if (event.key === 'Enter') list.openFirst()
    else if (event.key === 'Escape') {
      if (query === '') list.enterAt('selected')
      else setQuery('')
    } else return
    event.preventDefault()
  }
  return (
    <section
      aria-label="Agents"
      onKeyDown={list.onKeyDown}
      onKeyUp={list.onKeyUp}
      className="flex h-full min-h-0 flex-col"
    >
      <div className="relative shrink-0 px-2.5 pt-2 pb-0.5">
        <Search
          size={13}
          strokeWidth={1.75}
          aria-hidden="true"
          className="absolute top-[1.0625rem] left-[1.125rem] text-fg-2"
        />
        <input
          ref={search}
          type="text"
          aria-label="Search agents"
          placeholder={entries.length > 0 ? `Search ${entries.length.toLocaleString('en')} agents` : 'Search'}
          spellCheck={false}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onSearchKey}
          className="h-[1.625rem] w-full rounded-[6px] border border-line bg-bg-0 pr-6 pl-7 text-fg-0 text-sm outline-none focus:border-accent"
        />
        {query !== '' && (
          <IconButton
            label="Clear the search"
            icon={X}
            className="absolute top-[0.6875rem] right-3"
            onClick={() => {
              setQuery('')
              search.current?.focus()
            }}
          />
        )}
      </div>
      <FolderProblems />
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto pb-2">
        {rows.length === 0 ? (
          <p className="px-3.5 py-2 text-fg-2 text-sm">
            No agent has these words in its name or description.
          </p>
        ) : (
          <Rows rows={rows} list={list} scroller={scroller} unsaved={unsaved} />
        )}
      </div>
    </section>
  )
}

interface RowsProps {
  readonly rows: readonly LibraryRow[]
  readonly list: ListKeys
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly unsaved: ReadonlySet<string>
}

/** Of two thousand only those in sight are in the page. */
function Rows({ rows, list, scroller, unsaved }: RowsProps) {
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

/** What is wrong with whole folders, and a folder without trust. */
function FolderProblems() {
  const problems = useEditor((state) => state.library.problems)
  const folder = useSession((state) => state.folder)
  return (
    <>
      {folder !== null && !folder.trusted && (
        <div className="mx-2.5 mt-2 rounded-md border border-line bg-bg-2 p-2.5 text-fg-1 text-sm">
          <p>This folder is not trusted, so the agents of the project are not read.</p>
          <Button className="mt-2" onClick={() => askAboutTrust(folder.path)}>
            Trust this folder…
          </Button>
        </div>
      )}
      {problems.length > 0 && (
        <ul aria-label="Problems of folders" className="mx-2.5 mt-2 max-h-32 overflow-y-auto">
          {problems.map((problem) => (
            <li
              key={problem}
              data-selectable=""
              className="rounded-md border border-line bg-bg-2 px-2.5 py-1.5 text-fg-1 text-xs"
            >
              {problem}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

interface ListKeys {
  /** The key of the row that has, or would get, the focus. */
  readonly active: string | null
  /** Grows with each move by keys. */
  readonly moved: number
  /** Whether the active row is to take the focus. */
  readonly focusWanted: RefObject<boolean>
  open(id: string): void
  openFirst(): void
  enterAt(where: 'first' | 'selected'): void
  onKeyDown(event: KeyboardEvent): void
  onKeyUp(event: KeyboardEvent): void
}

interface ListParts {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly search: RefObject<HTMLInputElement | null>
  readonly onEnter: () => void
  readonly setQuery: (query: string) => void
}

/** Arrow keys go from row to row and show what they come to; while one is held down, only when it is let go. */
function useListKeys(rows: readonly LibraryRow[], parts: ListParts): ListKeys {
  const { scroller, search, onEnter, setQuery } = parts
  const selected = useEditor((state) => state.selected)
  const [at, setAt] = useState<string | null>(null)
  const [moved, setMoved] = useState(0)
  const focusWanted = useRef(false)
  const heldAt = useRef<string | null>(null)
  const ids = useMemo(() => rows.flatMap((row) => (row.kind === 'entry' ? [row.key] : [])), [rows])
  const active =
    at !== null && ids.includes(at) ? at : selected !== null && ids.includes(selected) ? selected : ids[0]

  const focusAt = useCallback((id: string | null) => {
    focusWanted.current = true
    setAt(id)
    setMoved((times) => times + 1)
  }, [])
  const wish = useEditor((state) => state.listWish)
  const seen = useRef(wish)
  useEffect(() => {
    if (wish === seen.current) return
    seen.current = wish
    // After the dialog, which gives the focus back to where it was.
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => focusAt(null)))
    return () => cancelAnimationFrame(frame)
  }, [wish, focusAt])
  const go = (id: string | undefined, isHeld: boolean) => {
    if (id === undefined) return
    focusAt(id)
    if (isHeld) heldAt.current = id
    else void selectDefinition(id)
  }
  const open = useCallback((id: string) => {
    setAt(id)
    void selectDefinition(id)
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
      event.preventDefault()
      search.current?.focus()
      search.current?.select()
      return
    }
    const row = event.target instanceof HTMLElement ? event.target.closest('[data-entry]') : null
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return
    const index = active === undefined ? -1 : ids.indexOf(active)
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / 26) - 1)
    const target = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key]
    if (target !== undefined) go(ids[Math.max(0, Math.min(ids.length - 1, index + target))], event.repeat)
    else if (event.key === 'Home') go(ids[0], false)
    else if (event.key === 'End') go(ids.at(-1), false)
    else if (event.key === 'Enter') onEnter()
    else if (event.key === 'F2' && active) askToRename(active)
    else if (event.key === 'Delete' && active) void trashDefinition(active).then(() => focusAt(null))
    else if (event.key === '/') search.current?.focus()
    else if (event.key.length === 1 && event.key !== ' ') {
      setQuery(event.key)
      search.current?.focus()
    } else return
    event.preventDefault()
  }
  const onKeyUp = () => {
    if (heldAt.current !== null) void selectDefinition(heldAt.current)
    heldAt.current = null
  }
  return {
    active: active ?? null,
    moved,
    focusWanted,
    open,
    openFirst: () => go(ids[0], false),
    enterAt: (where) => focusAt((where === 'first' ? ids[0] : active) ?? null),
    onKeyDown,
    onKeyUp,
  }
}
