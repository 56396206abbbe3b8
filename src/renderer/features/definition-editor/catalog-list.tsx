/** The agent list at the left: groups, search, keyboard actions. */
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { useListKeys } from './catalog-list-keys.ts'
import { FolderProblems } from './catalog-list-problems.tsx'
import { CatalogListRows } from './catalog-list-rows.tsx'
import { allEntries, rowsOf } from './catalog-rows.ts'
import { useEditor } from './editor-store.ts'
import { useWritableSources } from './use-writable-sources.ts'

interface CatalogListProps {
  /** Moves the focus to the selected agent's text. */
  readonly onEnter: () => void
}

export function CatalogList({ onEnter }: CatalogListProps) {
  const catalog = useEditor((state) => state.catalog)
  const opened = useEditor((state) => state.opened)
  const unsaved = useEditor((state) => state.unsaved)
  const [query, setQuery] = useState('')
  const entries = useMemo(() => allEntries({ catalog, opened, unsaved }), [catalog, opened, unsaved])
  const sought = useDeferredValue(query)
  const sources = useWritableSources()
  const rows = useMemo(() => rowsOf(entries, sought, sources), [entries, sought, sources])
  const search = useRef<HTMLInputElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const list = useListKeys(rows, { scroller, search, onEnter, setQuery })

  const onSearchKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') list.focusRow('first')
    else if (event.key === 'Enter') list.openFirst()
    else if (event.key === 'Escape') {
      if (query === '') list.focusRow('selected')
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
            label="Clear search"
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
          <p className="px-3.5 py-2 text-fg-2 text-sm">No matching agents.</p>
        ) : (
          <CatalogListRows rows={rows} list={list} scroller={scroller} unsaved={unsaved} />
        )}
      </div>
    </section>
  )
}
