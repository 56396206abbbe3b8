/** The rows of the agent list: groups, matching agents, and each agent's state. */
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { type CatalogFilter, type FilterSurroundings, hasProblem, passes } from './catalog-filters.ts'
import { rankOf, shownName, termsOf } from './catalog-search.ts'
import type { EditorState, WritableSource } from './editor-store.ts'

export type CatalogRow =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly title: string
      /** The source for a new agent; null when none can be created in this group. */
      readonly source: WritableSource | null
      readonly isEmpty: boolean
    }
  | {
      readonly kind: 'entry'
      readonly key: string
      readonly entry: CatalogEntry
      /** Whether another agent has the same name. */
      readonly showsPath: boolean
      /** The source, if no group states it. */
      readonly where: string | null
    }

interface RowOptions extends FilterSurroundings {
  readonly query: string
  readonly filters: readonly CatalogFilter[]
  /** The writable sources. */
  readonly sources: readonly WritableSource[]
}

/** All entries of the catalog, and unsaved definitions without a file. */
export function allEntries({
  catalog,
  opened,
  unsaved,
}: Pick<EditorState, 'catalog' | 'opened' | 'unsaved'>): readonly CatalogEntry[] {
  const listed = new Set(catalog.entries.map(({ id }) => id))
  const without = [...opened.values()].filter(({ id }) => !listed.has(id) && unsaved.has(id))
  return without.length === 0 ? catalog.entries : [...catalog.entries, ...without.map(({ entry }) => entry)]
}

/**
 * Without a query: groups by source, in the order of the names. Writable sources come first; their groups are listed
 * even when empty, unless a filter applies. With a query: all matches, the best one first.
 */
export function rowsOf(entries: readonly CatalogEntry[], options: RowOptions): readonly CatalogRow[] {
  const { query, filters, sources } = options
  const isRepeated = repeatedNames(entries)
  const rowOf = (entry: CatalogEntry, where: string | null): CatalogRow => {
    return { kind: 'entry', key: entry.id, entry, showsPath: isRepeated(entry), where }
  }
  const passing = filters.length === 0 ? entries : entries.filter((entry) => passes(entry, filters, options))
  const terms = termsOf(query)
  if (terms.length > 0) {
    const found = ranked(passing, terms)
    if (found.length === 0) return []
    const title = `${found.length.toLocaleString('en')} ${found.length === 1 ? 'match' : 'matches'}`
    return [
      { kind: 'group', key: 'matches', title, source: null, isEmpty: false },
      ...found.map((entry) => rowOf(entry, titleOf(entry))),
    ]
  }
  const groups = new Map<string, { title: string; source: WritableSource | null; entries: CatalogEntry[] }>()
  if (filters.length === 0)
    for (const source of sources) groups.set(source, { title: TITLES[source], source, entries: [] })
  for (const entry of ordered(passing)) {
    const key = entry.source === 'plugin' ? `plugin:${entry.plugin ?? ''}` : entry.source
    const source = sources.find((each) => each === entry.source) ?? null
    const group = groups.get(key) ?? { title: titleOf(entry), source, entries: [] }
    groups.set(key, group)
    group.entries.push(entry)
  }
  return [...groups].flatMap(([key, { title, source, entries: members }]): readonly CatalogRow[] => [
    { kind: 'group', key: `group:${key}`, title, source, isEmpty: members.length === 0 },
    ...members.map((entry) => rowOf(entry, null)),
  ])
}

/** The first agent that waits for the user, or the first of the list without a search. */
export function firstEntry(entries: readonly CatalogEntry[]): CatalogEntry | undefined {
  const all = ordered(entries)
  return all.find(({ state }) => state === 'waits') ?? all[0]
}

const TITLES = {
  project: 'Project',
  user: 'User',
  managed: 'Managed',
  'built-in': 'Built in',
  'command-line': 'Command line',
} as const

const ORDER = ['project', 'user', 'plugin', 'managed', 'built-in', 'command-line'] as const

const { compare } = new Intl.Collator('en', { sensitivity: 'base', numeric: true })

const byName = (a: CatalogEntry, b: CatalogEntry) => compare(shownName(a), shownName(b))

/** By source and plugin; within one by name. */
function ordered(entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return ORDER.flatMap((source) =>
    entries
      .filter((entry) => entry.source === source)
      .sort((a, b) => compare(a.plugin ?? '', b.plugin ?? '') || byName(a, b)),
  )
}

function ranked(entries: readonly CatalogEntry[], terms: readonly string[]): readonly CatalogEntry[] {
  return entries
    .flatMap((entry) => {
      const rank = rankOf(entry, terms)
      return rank === null ? [] : [{ entry, rank }]
    })
    .sort((a, b) => a.rank - b.rank || byName(a.entry, b.entry))
    .map(({ entry }) => entry)
}

function repeatedNames(entries: readonly CatalogEntry[]): (entry: CatalogEntry) => boolean {
  const amounts = new Map<string, number>()
  const keyOf = (entry: CatalogEntry) => shownName(entry).toLowerCase()
  for (const entry of entries) amounts.set(keyOf(entry), (amounts.get(keyOf(entry)) ?? 0) + 1)
  return (entry) => (amounts.get(keyOf(entry)) ?? 0) > 1
}

function titleOf({ source, plugin }: CatalogEntry): string {
  return source === 'plugin' ? `Plugin · ${plugin ?? ''}` : TITLES[source]
}

export interface EntryState {
  readonly kind:
    | 'unsaved'
    | 'waits'
    | 'broken'
    | 'warning'
    | 'shadowed'
    | 'no-agent'
    | 'locked'
    | 'hidden'
    | 'fine'
  /** At the right end of the row; may be empty. */
  readonly label: string
}

/** The most important state of an entry. */
export function entryState(entry: CatalogEntry, isUnsaved: boolean): EntryState {
  if (isUnsaved) return { kind: 'unsaved', label: 'unsaved' }
  const worst =
    entry.diagnostics.find(({ severity }) => severity === 'error') ??
    entry.diagnostics.find(({ severity }) => severity === 'warning')
  if (entry.state === 'waits') return { kind: 'waits', label: 'approve' }
  if (entry.state === 'refused')
    return { kind: 'broken', label: worst === undefined ? 'broken' : `line ${worst.line}` }
  if (entry.state === 'no-agent') return { kind: 'no-agent', label: 'no agent' }
  if (entry.state === 'shadowed') return { kind: 'shadowed', label: 'shadowed' }
  if (worst !== undefined) return { kind: 'warning', label: `line ${worst.line}` }
  if (entry.source === 'managed' || entry.source === 'command-line')
    return { kind: 'locked', label: 'locked' }
  if (entry.state === 'hidden') return { kind: 'hidden', label: 'hidden' }
  return { kind: 'fine', label: '' }
}

/** "13 agents · 1 with problems". Files that are not agents are not counted. */
export function catalogText(entries: readonly CatalogEntry[]): string {
  const agents = entries.filter(({ state }) => state !== 'no-agent')
  const faulty = agents.filter(hasProblem)
  const amount = `${agents.length.toLocaleString('en')} ${agents.length === 1 ? 'agent' : 'agents'}`
  return faulty.length === 0 ? amount : `${amount} · ${faulty.length.toLocaleString('en')} with problems`
}
