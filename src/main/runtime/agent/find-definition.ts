/** Finds the definition of a new agent, and says why one can't be used. */
import { isAnnounced } from '../../../shared/agent-definition/definition-messages.ts'
import type { ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { isAbout, isMcp, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import type { DefinitionProblem, LoadedDefinition } from '../ports/definitions.ts'
import type { FolderCatalog } from './agent-tools.ts'

/** Finds a definition by name or alias, ignoring case. The failure lists the available ones, and why this one is not. */
export function findDefinition(
  { definitions, refused }: Pick<FolderCatalog, 'definitions' | 'refused'>,
  name: string,
): Result<LoadedDefinition> {
  const wanted = name.trim().toLowerCase()
  const found =
    definitions.find((definition) => definition.name.toLowerCase() === wanted) ??
    definitions.find((definition) => definition.aliases.some((alias) => alias.toLowerCase() === wanted))
  if (found) return ok(found)
  const offered = definitions.filter(isAnnounced).map((definition) => definition.name)
  return fail({
    type: 'unknown-agent',
    message: [
      `There is no agent "${name}". Available: ${offered.join(', ')}.`,
      ...refusalsOf(name, refused),
    ].join(' '),
  })
}

/** Why definitions of this name are not in use, one sentence for each problem. */
export function refusalsOf(name: string, refused: readonly DefinitionProblem[]): readonly string[] {
  return refused
    .filter(({ refuses }) => refuses?.toLowerCase() === name.trim().toLowerCase())
    .map(({ file, line, message }) => `${file}${line === null ? '' : `:${line}`} is not in use. ${message}`)
}

/** Names in one sentence. */
const MOST_NAMES = 20

/** Why an agent is not started: its definition lists tools, and none of them is there. Null: it has tools, or its definition means it to have none. Ends with what to do. */
export function whyNoTools(
  { name, tools, program }: Pick<LoadedDefinition, 'name' | 'tools' | 'program'>,
  { allowed, blocked, unknown }: Pick<ToolResolution, 'allowed' | 'blocked' | 'unknown'>,
): string | null {
  if (program !== undefined || tools === null || tools.length === 0 || allowed.length > 0) return null
  const notRecognized = unknown.map(({ entry, nearest }) =>
    nearest === null ? entry : `${entry} (did you mean ${nearest}?)`,
  )
  const missing = new Set(unknown.map(({ entry }) => entry))
  const absent = tools.filter(
    (entry) =>
      !missing.has(entry) && isMcp(entry) && !blocked.some(({ tool }) => isAbout(readToolEntry(entry), tool)),
  )
  const removed = blocked.filter(
    ({ tool, step }) => step !== 'not-listed' && tools.some((entry) => isAbout(readToolEntry(entry), tool)),
  )
  return [
    `Not started: ${name} would have no tools.`,
    ...listed('Its definition lists names that are not recognized', notRecognized),
    ...listed('Their MCP servers are not connected', absent),
    ...removed.slice(0, MOST_NAMES).map(({ tool, because }) => `It has no ${tool}: ${sentence(because)}`),
    'Use another agent, or tell the user to correct tools in the definition.',
  ].join(' ')
}

function listed(start: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const more = names.length - MOST_NAMES
  return [`${start}: ${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`]
}
