/** The rows of the list: groups with their agents, those that a search leaves, and what is said of each. */
import type { LibraryEntry } from '../../../shared/agent-library.ts'
import type { EditorState, WritableSource } from './editor-store.ts'

export type LibraryRow =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly title: string
      /** Where `+` makes a new one; null: not here. */
      readonly source: WritableSource | null
      readonly isEmpty: boolean
    }
  | { readonly kind: 'entry'; readonly key: string; readonly entry: LibraryEntry }

/** All entries: those of the library, and texts that have no file. */
export function allEntries({
  library,
  opened,
  unsaved,
}: Pick<EditorState, 'library' | 'opened' | 'unsaved'>): readonly LibraryEntry[] {
  const listed = new Set(library.entries.map(({ id }) => id))
  const without = [...opened.values()].filter(({ id }) => !listed.has(id) && unsaved.has(id))
  return without.length === 0 ? library.entries : [...library.entries, ...without.map(({ entry }) => entry)]
}

/** What can be changed comes first. Groups of `sources`, that can be written to, are there even if empty. */
export function rowsOf(
  entries: readonly LibraryEntry[],
  query: string,
  sources: readonly WritableSource[],
): readonly LibraryRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, { title: string; source: WritableSource | null; entries: LibraryEntry[] }>()
  if (words.length === 0)
    for (const source of sources) groups.set(source, { title: TITLES[source], source, entries: [] })
  for (const entry of ordered(entries)) {
    if (!words.every((word) => haystackOf(entry).includes(word))) continue
    const key = entry.source === 'plugin' ? `plugin:${entry.plugin ?? ''}` : entry.source
    const source = sources.find((each) => each === entry.source) ?? null
    const group = groups.get(key) ?? { title: titleOf(entry), source, entries: [] }
    groups.set(key, group)
    group.entries.push(entry)
  }
  return [...groups].flatMap(([key, { title, source, entries: mine }]): readonly LibraryRow[] => [
    { kind: 'group', key: `group:${key}`, title, source, isEmpty: mine.length === 0 },
    ...mine.map((entry) => ({ kind: 'entry' as const, key: entry.id, entry })),
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

function ordered(entries: readonly LibraryEntry[]): readonly LibraryEntry[] {
  return ORDER.flatMap((source) => entries.filter((entry) => entry.source === source))
}

function titleOf({ source, plugin }: LibraryEntry): string {
  return source === 'plugin' ? `Plugin · ${plugin ?? ''}` : TITLES[source]
}

const haystacks = new WeakMap<LibraryEntry, string>()

function haystackOf(entry: LibraryEntry): string {
  const known = haystacks.get(entry)
  if (known !== undefined) return known
  const words = `${entry.name} ${entry.path} ${entry.description}`.toLowerCase()
  haystacks.set(entry, words)
  return words
}

export interface EntryState {
  readonly kind: 'unsaved' | 'broken' | 'warning' | 'overridden' | 'no-agent' | 'locked' | 'hidden' | 'fine'
  /** For the right end of its row; empty where there is nothing to say. */
  readonly words: string
}

/** The one thing that matters most about an entry. */
export function entryState(entry: LibraryEntry, isUnsaved: boolean): EntryState {
  if (isUnsaved) return { kind: 'unsaved', words: 'unsaved' }
  const worst =
    entry.diagnostics.find(({ severity }) => severity === 'error') ??
    entry.diagnostics.find(({ severity }) => severity === 'warning')
  if (entry.state === 'refused')
    return { kind: 'broken', words: worst === undefined ? 'broken' : `line ${worst.line}` }
  if (entry.state === 'no-agent') return { kind: 'no-agent', words: 'no agent' }
  if (entry.state === 'overridden') return { kind: 'overridden', words: 'overridden' }
  if (worst !== undefined) return { kind: 'warning', words: `line ${worst.line}` }
  if (entry.source === 'managed' || entry.source === 'command-line')
    return { kind: 'locked', words: 'locked' }
  if (entry.state === 'hidden') return { kind: 'hidden', words: 'hidden' }
  return { kind: 'fine', words: '' }
}

/** "13 agents · 1 with a problem". Files that are no agents are not counted. */
export function libraryWords(entries: readonly LibraryEntry[]): string {
  const agents = entries.filter(({ state }) => state !== 'no-agent')
  const wrong = agents.filter(({ diagnostics }) => diagnostics.some(({ severity }) => severity !== 'notice'))
  const amount = `${agents.length.toLocaleString('en')} ${agents.length === 1 ? 'agent' : 'agents'}`
  return wrong.length === 0 ? amount : `${amount} · ${wrong.length.toLocaleString('en')} with a problem`
}
