/** What becomes of an open definition when its file changed: the changes that can be taken over, and the conflicts. */
import type { DefinitionText } from '../../../../shared/agent-definition/agent-catalog.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { FromDisk, OpenDefinition } from '../editor-store.ts'
import { baseOfConflicts, mergeFields } from './merge-fields.ts'

/** The new state, and the text with the changes taken over. */
export interface TakenFromDisk
  extends Pick<OpenDefinition, 'base' | 'version' | 'onDisk' | 'notUtf8' | 'fromDisk'> {
  readonly text: string
}

/** Pure. The text of a definition without unsaved changes becomes that of the file. */
export function takeFromDisk(
  { document, base, version, fromDisk, entry }: OpenDefinition,
  theirs: DefinitionText,
): TakenFromDisk {
  const mine = document.text
  const former = base ?? ''
  const sentences = [fromDisk?.renamed ?? null, renamedText(former, theirs.text, entry.path)]
  const renamed = sentences.filter((sentence) => sentence !== null).join(' ') || null
  const notUtf8 = theirs.notUtf8 ?? null
  if (mine === base || mine === theirs.text)
    return {
      ...{ text: theirs.text, base: theirs.text, version: theirs.version, onDisk: { kind: 'same' } },
      notUtf8,
      fromDisk: noted([], renamed),
    }
  const versions = { base: former, mine, theirs: theirs.text }
  const { text, taken, conflicts } = mergeFields(versions)
  const all = [...new Set([...(fromDisk?.taken ?? []), ...taken])]
  return conflicts.length === 0
    ? {
        ...{ text, base: theirs.text, version: theirs.version, onDisk: { kind: 'same' } },
        notUtf8,
        fromDisk: noted(all, renamed),
      }
    : {
        ...{ text, base: baseOfConflicts(versions, conflicts), version },
        onDisk: { kind: 'changed', theirs },
        notUtf8,
        fromDisk: noted(all, renamed),
      }
}

const noted = (taken: readonly string[], renamed: string | null): FromDisk | null =>
  taken.length === 0 && renamed === null ? null : { taken, renamed }

/** Whether the file gave its agent another name. */
function renamedText(before: string, after: string, path: string): string | null {
  const [former, now] = [before, after].map((text) => {
    const stem = (path.split('/').at(-1) ?? path).replace(/\.md$/i, '')
    return readDefinition(text, { stem, source: 'project' }).definition?.name
  })
  return former === undefined || now === undefined || former === now
    ? null
    : `The agent was renamed on disk: ${former} is now ${now}.`
}
