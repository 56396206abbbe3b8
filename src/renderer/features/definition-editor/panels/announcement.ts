/** What the main agent is told of an agent, and what it has to do with others of the same name. */
import type { ReadDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { announceAgent } from '../../../../shared/agent-definition/announce-agent.ts'
import { agentSources, type LibraryEntry } from '../../../../shared/agent-library.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface Announcement {
  /** The line, as it is sent; null: there is none. */
  readonly line: string | null
  /** Why there is none. */
  readonly why: string | null
  readonly overrides: readonly LibraryEntry[]
  readonly overriddenBy: LibraryEntry | null
}

/** `tools`: the names of those it really has. */
export function announcement(
  { definition, offered }: Pick<ReadDefinition, 'definition' | 'offered'>,
  { entry, library }: Pick<DefinitionSurroundings, 'entry' | 'library'>,
  tools: readonly string[],
): Announcement {
  if (definition === null)
    return { line: null, why: 'Nothing: the text is no agent.', overrides: [], overriddenBy: null }
  // A plugin's agent is called by its plugin's name too.
  const name = entry.plugin === null ? definition.name : entry.name
  const relation = relationsOf(name, entry, library.entries)
  const why = !offered
    ? 'Nothing, until what is wrong with it is mended.'
    : relation.overriddenBy !== null
      ? 'Nothing: another agent of this name holds in its place.'
      : definition.hidden
        ? 'Nothing: it is hidden. It can be started by whoever knows its name.'
        : null
  return { line: why === null ? announceAgent({ ...definition, name }, tools) : null, why, ...relation }
}

/** By the name as it is in the text now, which may be another one than on disk. */
function relationsOf(
  name: string,
  mine: DefinitionSurroundings['entry'],
  entries: readonly LibraryEntry[],
): Pick<Announcement, 'overrides' | 'overriddenBy'> {
  const same = (other: LibraryEntry) =>
    other.id !== mine.id &&
    other.name.toLowerCase() === name.toLowerCase() &&
    (other.state === 'offered' || other.state === 'hidden' || other.state === 'overridden')
  const listed = entries.find((entry) => entry.id === mine.id)
  const isSaved = listed?.name.toLowerCase() === name.toLowerCase()
  const rank = (source: LibraryEntry['source']) => agentSources.indexOf(source)
  const holds = (other: LibraryEntry) =>
    other.source === mine.source && isSaved
      ? listed?.overriddenBy === other.id
      : rank(other.source) > rank(mine.source)
  const others = entries.filter(same)
  return {
    overrides: others.filter((other) => !holds(other)),
    overriddenBy: others.findLast(holds) ?? null,
  }
}
