/** Checks the name of a new agent while it is typed. */

import { agentSources, type CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import { whatIsWrongWithName } from '../../../../shared/agent-definition/read-definition.ts'
import type { WritableSource } from '../editor-store.ts'

export interface NewFileCheck {
  /** Below the agents folder: `security-reviewer.md`. */
  readonly path: string
  /** Why the agent can't be created. */
  readonly error: string | null
  /** Whether the agent shadows another one or is shadowed. */
  readonly note: string | null
}

interface Wanted {
  readonly name: string
  readonly source: WritableSource
  /** The open folder. */
  readonly folder: string
  readonly entries: readonly CatalogEntry[]
  /** The renamed entry, which does not conflict with itself. */
  readonly except?: string
}

export function checkNewFile({ name, source, folder, entries, except }: Wanted): NewFileCheck {
  const path = `${fileNameOf(name)}.md`
  const wrong = whatIsWrongWithName(name)
  if (wrong !== null) return { path, error: wrong, note: null }
  const others = entries.filter((entry) => entry.id !== except)
  const here = others.filter((entry) => isInSameFolder(entry, source, folder))
  const sameFile = here.find((entry) => entry.path.toLowerCase() === path.toLowerCase())
  if (sameFile !== undefined)
    return { path, error: `The file ${path} already exists. Choose another name.`, note: null }
  const lower = name.trim().toLowerCase()
  const named = others.filter((entry) => entry.name.toLowerCase() === lower && entry.state !== 'no-agent')
  const twin = here.find((entry) => named.includes(entry))
  if (twin !== undefined)
    return { path, error: `The agent ${twin.name} already exists in ${twin.path}.`, note: null }
  return { path, error: null, note: relationNote(named, source) }
}

function relationNote(named: readonly CatalogEntry[], source: WritableSource): string | null {
  const rank = (entry: CatalogEntry) => agentSources.indexOf(entry.source)
  const mine = agentSources.indexOf(source)
  const above = named.find((entry) => rank(entry) > mine)
  if (above !== undefined) return `Shadowed by the ${SOURCE_NAMES[above.source]} agent of this name.`
  const below = named.find((entry) => rank(entry) <= mine)
  return below === undefined ? null : `Shadows the ${SOURCE_NAMES[below.source]} agent of this name.`
}

const SOURCE_NAMES = {
  'built-in': 'built-in',
  plugin: 'plugin',
  user: 'user',
  project: 'project',
  'command-line': 'command-line',
  managed: 'managed',
} as const

/** Whether an entry is in the same agents folder. Agents folders of parent folders don't conflict. */
function isInSameFolder(
  { source, file, path }: CatalogEntry,
  wanted: WritableSource,
  folder: string,
): boolean {
  if (source !== wanted) return false
  if (wanted === 'user' || file === null) return true
  return file.replaceAll('\\', '/') === `${folder.replaceAll('\\', '/')}/.claude/agents/${path}`
}

/** Device names that Windows reserves. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/

/** A file name, without `.md`, that is valid on every system. */
export function fileNameOf(name: string): string {
  const slug = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80)
  if (slug === '') return 'agent'
  return DEVICES.test(slug) ? `${slug}-agent` : slug
}

/** The first free name of `name`, `name-2`, … */
export function freeName(wanted: Omit<Wanted, 'except'>): string {
  for (let index = 1; ; index++) {
    const name = index === 1 ? wanted.name : `${wanted.name}-${index}`
    const { error } = checkNewFile({ ...wanted, name })
    // A number can't fix an invalid name.
    if (error === null || whatIsWrongWithName(name) !== null) return name
  }
}
