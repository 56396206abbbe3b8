/** The line that the main agent reads about an agent, and its relation to agents of the same name. */

import { agentSources, type CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import type { ReadDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { announceAgent } from '../../../../shared/agent-definition/definition-messages.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface Announcement {
  /** The line as it is sent; null when the agent is not announced. */
  readonly line: string | null
  /** Why the agent is not announced. */
  readonly obstacle: string | null
  readonly shadows: readonly CatalogEntry[]
  readonly shadowedBy: CatalogEntry | null
}

/** `tools`: the names of the agent's effective tools. */
export function announcement(
  { definition, offered }: Pick<ReadDefinition, 'definition' | 'offered'>,
  { entry, catalog }: Pick<DefinitionSurroundings, 'entry' | 'catalog'>,
  tools: readonly string[],
): Announcement {
  if (definition === null)
    return {
      line: null,
      obstacle: 'Not announced: the text is not an agent.',
      shadows: [],
      shadowedBy: null,
    }
  // The name of a plugin's agent includes the plugin's prefix.
  const name = entry.plugin === null ? definition.name : entry.name
  const relation = relationsOf(name, entry, catalog.entries)
  const obstacle = !offered
    ? 'Not announced until its errors are fixed.'
    : relation.shadowedBy !== null
      ? 'Not announced: shadowed by another agent of this name.'
      : definition.hidden
        ? 'Not announced: hidden. It can still be started by name.'
        : null
  return {
    line: obstacle === null ? announceAgent({ ...definition, name }, tools) : null,
    obstacle,
    ...relation,
  }
}

/** Relations by the current name in the text, which may differ from the name on disk. */
function relationsOf(
  name: string,
  own: DefinitionSurroundings['entry'],
  entries: readonly CatalogEntry[],
): Pick<Announcement, 'shadows' | 'shadowedBy'> {
  const same = (other: CatalogEntry) =>
    other.id !== own.id &&
    other.name.toLowerCase() === name.toLowerCase() &&
    (other.state === 'offered' || other.state === 'hidden' || other.state === 'shadowed')
  const listed = entries.find((entry) => entry.id === own.id)
  const isSaved = listed?.name.toLowerCase() === name.toLowerCase()
  const rank = (source: CatalogEntry['source']) => agentSources.indexOf(source)
  const isAbove = (other: CatalogEntry) =>
    other.source === own.source && isSaved
      ? listed?.shadowedBy === other.id
      : rank(other.source) > rank(own.source)
  const others = entries.filter(same)
  return {
    shadows: others.filter((other) => !isAbove(other)),
    shadowedBy: others.findLast(isAbove) ?? null,
  }
}
