/** The filter menu of the agent list, and the filters that apply. */
import { ListFilter, X } from 'lucide-react'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuCheck, MenuHeading, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import {
  type CatalogFilter,
  type FilterSurroundings,
  filterLabel,
  modelsOf,
  passes,
  STATE_FILTERS,
  withFilter,
} from './catalog-filters.ts'

interface FilterProps {
  readonly filters: readonly CatalogFilter[]
  readonly onChange: (filters: readonly CatalogFilter[]) => void
}

interface FilterMenuProps extends FilterProps {
  readonly entries: readonly CatalogEntry[]
  readonly surroundings: FilterSurroundings
  readonly className?: string
}

export function FilterMenu({ filters, onChange, entries, surroundings, className }: FilterMenuProps) {
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
export function FilterChips({ filters, onChange }: FilterProps) {
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
