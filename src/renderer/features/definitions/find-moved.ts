/** Finds the file that a missing definition file has become: another program renamed or moved it. */
import type { CatalogEntry, DefinitionText } from '../../../shared/agent-definition/agent-catalog.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { bodyOf } from '../../../shared/agent-definition/write-definition.ts'
import { command } from '../../bridge.ts'

/** A file that is no longer there. */
export interface LostFile {
  readonly source: CatalogEntry['source']
  /** Its last known text and version. */
  readonly text: string
  readonly version: string | null
}

export interface MovedFile {
  readonly entry: CatalogEntry
  readonly file: DefinitionText
}

/** Files that are read to find one; a checkout of another branch changes many. */
const MOST_READ = 40
/** Shorter bodies may be equal by chance. */
const SHORTEST_BODY = 40

/**
 * The same text, else the same agent's name, else the same body. Null: none, or several are alike.
 * @param candidates files that appeared since the lost file was seen
 */
export async function findMoved(
  folder: string,
  lost: LostFile,
  candidates: readonly CatalogEntry[],
): Promise<MovedFile | null> {
  const own = partsOfText(lost.text)
  const possible = candidates
    .filter(({ source, locked, file }) => source === lost.source && !locked && file !== null)
    .toSorted((a, b) => Number(b.name === own.name) - Number(a.name === own.name))
    .slice(0, MOST_READ)
  const read = await Promise.all(
    possible.map(async (entry) => {
      const answer = await command('definition.open', { folder, id: entry.id })
      return answer.ok ? [{ entry, file: answer.value }] : []
    }),
  )
  const files = read.flat()
  const other = (file: DefinitionText) => partsOfText(file.text)
  const kinds: readonly ((file: DefinitionText) => boolean)[] = [
    (file) => file.version === lost.version || file.text === lost.text,
    (file) => own.name !== null && other(file).name === own.name,
    (file) => own.body.length >= SHORTEST_BODY && other(file).body === own.body,
  ]
  for (const isSame of kinds) {
    const same = files.filter(({ file }) => isSame(file))
    if (same.length === 1) return same[0] ?? null
    if (same.length > 1) return null
  }
  return null
}

/** The name is null if the text has none: that of a file's stem changes with the file. */
function partsOfText(text: string): { readonly name: string | null; readonly body: string } {
  const { definition } = readDefinition(text, { stem: '', source: '' })
  return { name: definition?.name || null, body: bodyOf(text)?.trim() ?? '' }
}

/** Entries that may be a renamed file of a text seen in an earlier session: those with its name or description. */
export function lookAlikes(text: string, entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  const { definition } = readDefinition(text, { stem: '', source: '' })
  if (definition === null) return []
  const { name, description } = definition
  return entries.filter((entry) => (name !== '' && entry.name === name) || entry.description === description)
}

/** "a.md is now more/b.md", as a sentence. */
export const movedText = (from: string, to: string): string =>
  `The file was renamed on disk: ${from} is now ${to}.`
