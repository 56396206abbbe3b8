/** Why an agent is not started: its definition lists tools, and none of them is there. */

import type { ToolResolution } from '../../../shared/agent-definition/resolve-tools.ts'
import { sentence } from '../../../shared/kernel/result.ts'
import { isAbout, isMcp, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import type { LoadedDefinition } from '../ports.ts'

/** Names in one sentence. */
const MOST_NAMES = 20

/** Null: it has tools, or its definition means it to have none. Ends with what to do. */
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
