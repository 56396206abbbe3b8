/** The rows of the agent list: groups, matching agents, and each agent's state. */
import type { CatalogEntry } from '../../../shared/agent-catalog.ts'
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
  | { readonly kind: 'entry'; readonly key: string; readonly entry: CatalogEntry }

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

/** Writable sources come first; their groups are listed even when empty. */
export function rowsOf(
  entries: readonly CatalogEntry[],
  query: string,
  sources: readonly WritableSource[],
): readonly CatalogRow[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, { title: string; source: WritableSource | null; entries: CatalogEntry[] }>()
  if (terms.length === 0)
    for (const source of sources) groups.set(source, { title: TITLES[source], source, entries: [] })
  for (const entry of ordered(entries)) {
    if (!terms.every((term) => searchTextOf(entry).includes(term))) continue
    const key = entry.source === 'plugin' ? `plugin:${entry.plugin ?? ''}` : entry.source
    const source = sources.find((each) => each === entry.source) ?? null
    const group = groups.get(key) ?? { title: titleOf(entry), source, entries: [] }
    groups.set(key, group)
    group.entries.push(entry)
  }
  return [...groups].flatMap(([key, { title, source, entries: members }]): readonly CatalogRow[] => [
    { kind: 'group', key: `group:${key}`, title, source, isEmpty: members.length === 0 },
    ...members.map((entry) => ({ kind: 'entry' as const, key: entry.id, entry })),
  ])
}

const TITLES = {
  project: 'Project',
  user: 'User',
  managed: 'Managed',
  'built-in': 'Built in',
  'command-line': 'Command line',
} as const

const ORDER = ['project', 'user', 'plugin', 'managed', 'built-in', 'command-line'] as const

function ordered(entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return ORDER.flatMap((source) => entries.filter((entry) => entry.source === source))
}

function titleOf({ source, plugin }: CatalogEntry): string {
  return source === 'plugin' ? `Plugin · ${plugin ?? ''}` : TITLES[source]
}

const searchTexts = new WeakMap<CatalogEntry, string>()

function searchTextOf(entry: CatalogEntry): string {
  const known = searchTexts.get(entry)
  if (known !== undefined) return known
  const text = `${entry.name} ${entry.path} ${entry.description}`.toLowerCase()
  searchTexts.set(entry, text)
  return text
}

export interface EntryState {
  readonly kind: 'unsaved' | 'broken' | 'warning' | 'shadowed' | 'no-agent' | 'locked' | 'hidden' | 'fine'
  /** At the right end of the row; may be empty. */
  readonly label: string
}

/** The most important state of an entry. */
export function entryState(entry: CatalogEntry, isUnsaved: boolean): EntryState {
  if (isUnsaved) return { kind: 'unsaved', label: 'unsaved' }
  const worst =
    entry.diagnostics.find(({ severity }) => severity === 'error') ??
    entry.diagnostics.find(({ severity }) => severity === 'warning')
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
  const faulty = agents.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity !== 'notice'))
  const amount = `${agents.length.toLocaleString('en')} ${agents.length === 1 ? 'agent' : 'agents'}`
  return faulty.length === 0 ? amount : `${amount} · ${faulty.length.toLocaleString('en')} with problems`
}
