/** The rows of the agent list: groups, matching agents, and each agent's state. */
import type { CatalogEntry, ToolConditions } from '../../../shared/agent-definition/agent-catalog.ts'
import { effectiveTools } from '../../../shared/agent-definition/effective-tools.ts'
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
export function catalogRowsOf(entries: readonly CatalogEntry[], options: RowOptions): readonly CatalogRow[] {
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

/** `value`: the model, or the tool; null for the others. */
export interface CatalogFilter {
  readonly kind: 'problem' | 'unsaved' | 'shadowed' | 'model' | 'tool'
  readonly value: string | null
}

export interface FilterSurroundings {
  /** The ids of definitions with unsaved text. */
  readonly unsaved: ReadonlySet<string>
  /** The names of all tools. */
  readonly tools: readonly string[]
  readonly conditions: ToolConditions
}

export const STATE_FILTERS = [
  { kind: 'problem', label: 'With problems' },
  { kind: 'unsaved', label: 'Unsaved' },
  { kind: 'shadowed', label: 'Shadowed' },
] as const

/** "With problems", "Model: opus", "Tool: Bash". */
export function filterLabel({ kind, value }: CatalogFilter): string {
  if (kind === 'model') return `Model: ${value}`
  if (kind === 'tool') return `Tool: ${value}`
  return STATE_FILTERS.find((each) => each.kind === kind)?.label ?? kind
}

/** Whether an agent passes all filters. An agent has the tools that the editor shows as effective. */
export function passes(
  entry: CatalogEntry,
  filters: readonly CatalogFilter[],
  surroundings: FilterSurroundings,
): boolean {
  return filters.every((filter) => passesOne(entry, filter, surroundings))
}

function passesOne(
  entry: CatalogEntry,
  { kind, value }: CatalogFilter,
  surroundings: FilterSurroundings,
): boolean {
  switch (kind) {
    case 'problem':
      return hasProblem(entry)
    case 'unsaved':
      return surroundings.unsaved.has(entry.id)
    case 'shadowed':
      return entry.state === 'shadowed'
    case 'model':
      return entry.content?.model === value
    case 'tool':
      return value !== null && toolsOf(entry, surroundings).includes(value)
  }
}

const resolved = new WeakMap<
  CatalogEntry,
  { readonly conditions: ToolConditions; readonly allowed: readonly string[] }
>()

function toolsOf(
  entry: CatalogEntry,
  { tools, conditions }: Pick<FilterSurroundings, 'tools' | 'conditions'>,
): readonly string[] {
  const known = resolved.get(entry)
  if (known?.conditions === conditions) return known.allowed
  const { name, source, content, state } = entry
  const offered = state !== 'refused'
  const allowed =
    content === null ? [] : effectiveTools(content, { name, source, offered, tools, conditions }).allowed
  resolved.set(entry, { conditions, allowed })
  return allowed
}

/** Adds the filter, or removes it. One model and one tool at most: another one replaces it. */
export function withFilter(
  filters: readonly CatalogFilter[],
  { kind, value }: CatalogFilter,
): readonly CatalogFilter[] {
  const isSet = filters.some((each) => each.kind === kind && each.value === value)
  const others = filters.filter((each) => each.kind !== kind)
  return isSet ? others : [...others, { kind, value }]
}

/** The models that agents name, in order. */
export function modelsOf(entries: readonly CatalogEntry[]): readonly string[] {
  return [...new Set(entries.flatMap(({ content }) => content?.model ?? []))].sort()
}

/** Whether a definition has a warning or an error. */
function hasProblem({ state, diagnostics }: CatalogEntry): boolean {
  return state === 'refused' || diagnostics.some(({ severity }) => severity !== 'notice')
}

// The search of the agent list: which agents match, and how well.

/** The name that the list shows: an unreadable definition has no name of its own. */
export function shownName({ name, path, state }: CatalogEntry): string {
  return state === 'refused' || state === 'no-agent' ? path : name
}

/** The words of a query, in lower case. */
function termsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Lower is better: name, start of the name, part of it, description, path, tools and system prompt. Null: no match. */
function rankOf(entry: CatalogEntry, terms: readonly string[]): number | null {
  const texts = textsOf(entry)
  let sum = 0
  for (const term of terms) {
    const rank = rankOfTerm(texts, term)
    if (rank === null) return null
    sum += rank
  }
  return sum
}

interface SearchTexts {
  /** The whole name, and the name without its plugin. */
  readonly names: readonly string[]
  /** From the best to the worst place. */
  readonly others: readonly string[]
}

const known = new WeakMap<CatalogEntry, SearchTexts>()

function textsOf(entry: CatalogEntry): SearchTexts {
  const found = known.get(entry)
  if (found !== undefined) return found
  const { name, description, path, content } = entry
  const lower = shownName(entry).toLowerCase()
  const inside = `${content?.tools?.join(' ') ?? ''}\n${content?.body ?? ''}`
  const texts = {
    names: [lower, lower.slice(lower.lastIndexOf(':') + 1)],
    others: [
      lower,
      `${name}\n${description}`.toLowerCase(),
      path.toLowerCase().replace(/\.md$/, ''),
      inside.toLowerCase(),
    ],
  }
  known.set(entry, texts)
  return texts
}

function rankOfTerm({ names, others }: SearchTexts, term: string): number | null {
  if (names.includes(term)) return 0
  if (names.some((name) => name.startsWith(term))) return 1
  const at = others.findIndex((text) => text.includes(term))
  return at === -1 ? null : at + 2
}
