/** Whether an agent of this name can be made in a place, while the name is typed. */
import { whatIsWrongWithName } from '../../../../shared/agent-definition/read-definition.ts'
import { agentSources, type LibraryEntry } from '../../../../shared/agent-library.ts'
import type { WritableSource } from '../editor-store.ts'

export interface NewFileCheck {
  /** Below the agents folder: `security-reviewer.md`. */
  readonly path: string
  /** Why it can't be made. */
  readonly error: string | null
  /** What else it does. */
  readonly note: string | null
}

interface Wanted {
  readonly name: string
  readonly source: WritableSource
  /** The folder that is open. */
  readonly folder: string
  readonly entries: readonly LibraryEntry[]
  /** The entry that is renamed, which is not in its own way. */
  readonly except?: string
}

export function checkNewFile({ name, source, folder, entries, except }: Wanted): NewFileCheck {
  const path = `${fileNameOf(name)}.md`
  const wrong = whatIsWrongWithName(name)
  if (wrong !== null) return { path, error: wrong, note: null }
  const others = entries.filter((entry) => entry.id !== except)
  const here = others.filter((entry) => isInPlace(entry, source, folder))
  const sameFile = here.find((entry) => entry.path.toLowerCase() === path.toLowerCase())
  if (sameFile !== undefined)
    return { path, error: `There is a file ${path} already. Choose another name.`, note: null }
  const lower = name.trim().toLowerCase()
  const named = others.filter((entry) => entry.name.toLowerCase() === lower && entry.state !== 'no-agent')
  const twin = here.find((entry) => named.includes(entry))
  if (twin !== undefined)
    return { path, error: `There is an agent ${twin.name} already, in ${twin.path}.`, note: null }
  return { path, error: null, note: relationNote(named, source) }
}

function relationNote(named: readonly LibraryEntry[], source: WritableSource): string | null {
  const rank = (entry: LibraryEntry) => agentSources.indexOf(entry.source)
  const mine = agentSources.indexOf(source)
  const above = named.find((entry) => rank(entry) > mine)
  if (above !== undefined) return `The ${WORDS[above.source]} agent of this name will hold in its place.`
  const below = named.find((entry) => rank(entry) <= mine)
  return below === undefined
    ? null
    : `It will hold in place of the ${WORDS[below.source]} agent of this name.`
}

const WORDS = {
  'built-in': 'built-in',
  plugin: 'plugin’s',
  user: 'user',
  project: 'project’s',
  'command-line': 'command line’s',
  managed: 'managed',
} as const

/** A project can have agents folders further up, which are no obstacle. */
function isInPlace({ source, file, path }: LibraryEntry, wanted: WritableSource, folder: string): boolean {
  if (source !== wanted) return false
  if (wanted === 'user' || file === null) return true
  return file.replaceAll('\\', '/') === `${folder.replaceAll('\\', '/')}/.claude/agents/${path}`
}

/** Names that Windows keeps for devices. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/

/** A file's name, without `.md`, that every system takes. */
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

/** A name that is free in a place: `name`, `name-2` … */
export function freeName(wanted: Omit<Wanted, 'except'>): string {
  for (let index = 1; ; index++) {
    const name = index === 1 ? wanted.name : `${wanted.name}-${index}`
    const { error } = checkNewFile({ ...wanted, name })
    // Where the name itself is wrong, no number mends it.
    if (error === null || whatIsWrongWithName(name) !== null) return name
  }
}
