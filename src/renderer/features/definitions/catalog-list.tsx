/** The agent list at the left: groups, search, keyboard actions. */
import { ListFilter, Search, Trash2, X } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { askAboutTrust } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuCheck, MenuHeading, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { idsOf, useListKeys } from './catalog-list-keys.ts'
import { CatalogListRows } from './catalog-list-rows.tsx'
import {
  allEntries,
  type CatalogFilter,
  catalogRowsOf,
  type FilterSurroundings,
  filterLabel,
  modelsOf,
  passes,
  STATE_FILTERS,
  withFilter,
} from './catalog-rows.ts'
import { showDialog, useEditor, useWritableSources } from './editor-store.ts'

interface CatalogListProps {
  /** Moves the focus to the selected agent's text. */
  readonly onEnter: () => void
}

export function CatalogList({ onEnter }: CatalogListProps) {
  const catalog = useEditor((state) => state.catalog)
  const opened = useEditor((state) => state.opened)
  const unsaved = useEditor((state) => state.unsaved)
  const [query, setQuery] = useState('')
  const [filters, setFilters] = useState<readonly CatalogFilter[]>([])
  const entries = useMemo(() => allEntries({ catalog, opened, unsaved }), [catalog, opened, unsaved])
  const sought = useDeferredValue(query)
  const sources = useWritableSources()
  const { tools, conditions } = catalog
  const options = useMemo(
    () => ({ filters, sources, unsaved, tools, conditions }),
    [filters, sources, unsaved, tools, conditions],
  )
  const rows = useMemo(
    () => catalogRowsOf(entries, { ...options, query: sought }),
    [entries, sought, options],
  )
  const search = useRef<HTMLInputElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const list = useListKeys(rows, { scroller, search, onEnter, setQuery })
  useEffect(() => useEditor.setState({ listed: idsOf(rows) }), [rows])

  const clearFilters = (next: readonly CatalogFilter[]) => {
    setFilters(next)
    // The button that was pressed is gone.
    if (next.length < filters.length) search.current?.focus()
  }
  const onSearchKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') list.focusRow('first')
    else if (event.key === 'Enter')
      // The rows may still be those of a shorter query.
      list.openRow(idsOf(sought === query ? rows : catalogRowsOf(entries, { ...options, query }))[0])
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
      <div className="flex shrink-0 items-center gap-1 px-2.5 pt-2 pb-0.5">
        <div className="relative min-w-0 flex-1">
          <Search
            size={13}
            strokeWidth={1.75}
            aria-hidden="true"
            className="absolute top-[0.4375rem] left-2 text-fg-2"
          />
          <input
            ref={search}
            type="text"
            aria-label="Search agents"
            placeholder={
              entries.length > 0 ? `Search ${entries.length.toLocaleString('en')} agents` : 'Search'
            }
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
              className="absolute top-0.5 right-0.5"
              onClick={() => {
                setQuery('')
                search.current?.focus()
              }}
            />
          )}
        </div>
        <FilterMenu filters={filters} onChange={setFilters} entries={entries} surroundings={options} />
      </div>
      <FilterChips filters={filters} onChange={clearFilters} />
      <FolderProblems />
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto pb-2">
        {rows.length === 0 ? (
          <div className="flex flex-col items-start gap-2 px-3.5 py-2 text-fg-2 text-sm">
            <p>No matching agents.</p>
            {filters.length > 0 && <Button onClick={() => clearFilters([])}>Clear filters</Button>}
          </div>
        ) : (
          <CatalogListRows rows={rows} list={list} scroller={scroller} unsaved={unsaved} />
        )}
      </div>
      <div className="flex shrink-0 border-line border-t px-1.5 py-1">
        <Button variant="quiet" onClick={() => showDialog({ kind: 'trash' })}>
          <Trash2 size={12} aria-hidden="true" /> Deleted agents…
        </Button>
      </div>
    </section>
  )
}

/** Problems with whole folders: no trust, or not readable. */
function FolderProblems() {
  const problems = useEditor((state) => state.catalog.problems)
  const folder = useSession((state) => state.folder)
  return (
    <>
      {folder !== null && !folder.trusted && (
        <div className="mx-2.5 mt-2 rounded-md border border-line bg-bg-2 p-2.5 text-fg-1 text-sm">
          <p>This folder is not trusted, so the project’s agents are not loaded.</p>
          <Button className="mt-2" onClick={() => askAboutTrust(folder.path)}>
            Trust this folder…
          </Button>
        </div>
      )}
      {problems.length > 0 && (
        <ul aria-label="Folder problems" className="mx-2.5 mt-2 max-h-32 overflow-y-auto">
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

/** The filter menu of the agent list, and the filters that apply. */
interface FilterProps {
  readonly filters: readonly CatalogFilter[]
  readonly onChange: (filters: readonly CatalogFilter[]) => void
}

interface FilterMenuProps extends FilterProps {
  readonly entries: readonly CatalogEntry[]
  readonly surroundings: FilterSurroundings
  readonly className?: string
}

function FilterMenu({ filters, onChange, entries, surroundings, className }: FilterMenuProps) {
  return (
    <Menu
      align="end"
      trigger={
        <IconButton
          label={filters.length === 0 ? 'Filter agents' : `Filter agents (${filters.length} set)`}
          icon={ListFilter}
          className={className}
        />
      }
    >
      <FilterItems filters={filters} onChange={onChange} entries={entries} surroundings={surroundings} />
    </Menu>
  )
}

/** Renders only while the menu is open: the numbers need all agents. */
function FilterItems({ filters, onChange, entries, surroundings }: FilterMenuProps) {
  const item = (filter: CatalogFilter, label: string) => {
    // To resolve the tools of all agents takes too long for a menu.
    const amount =
      filter.kind === 'tool' ? null : entries.filter((entry) => passes(entry, [filter], surroundings)).length
    return (
      <MenuCheck
        key={`${filter.kind} ${filter.value}`}
        checked={filters.some(({ kind, value }) => kind === filter.kind && value === filter.value)}
        onChange={() => onChange(withFilter(filters, filter))}
        {...(amount === null ? {} : { note: amount.toLocaleString('en') })}
      >
        {label}
      </MenuCheck>
    )
  }
  return (
    <>
      {STATE_FILTERS.map(({ kind, label }) => item({ kind, value: null }, label))}
      <MenuSeparator />
      <MenuHeading>Model</MenuHeading>
      {modelsOf(entries).map((value) => item({ kind: 'model', value }, value))}
      <MenuSeparator />
      <MenuHeading>Has tool</MenuHeading>
      {surroundings.tools.map((value) => item({ kind: 'tool', value }, value))}
      {filters.length > 0 && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => onChange([])}>Clear filters</MenuItem>
        </>
      )}
    </>
  )
}

/** The filters that apply, each with a button that removes it. */
function FilterChips({ filters, onChange }: FilterProps) {
  if (filters.length === 0) return null
  return (
    <ul aria-label="Filters" className="flex shrink-0 flex-wrap gap-1 px-2.5 pt-1.5">
      {filters.map((filter) => (
        <li key={filter.kind} className="flex min-w-0">
          <ChipButton
            aria-label={`Remove filter ${filterLabel(filter)}`}
            onClick={() => onChange(withFilter(filters, filter))}
            className="max-w-full"
          >
            <span className="truncate">{filterLabel(filter)}</span>
            <X size={11} aria-hidden="true" className="shrink-0" />
          </ChipButton>
        </li>
      ))}
    </ul>
  )
}
