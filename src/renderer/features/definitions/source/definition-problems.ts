/** The problems of a definition: the reader's diagnostics, and names that are not available. */
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { definitionNotes } from '../../../../shared/agent-definition/definition-notes.ts'
import { missingNames } from '../../../../shared/agent-definition/missing-names.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

/** Sorted by position, in UTF-16 offsets of the text. */
export function definitionProblems(
  text: string,
  { stem, entry, catalog }: DefinitionSurroundings,
): readonly Diagnostic[] {
  const { definition, diagnostics } = readDefinition(text, { stem, source: entry.source })
  if (definition === null) return diagnostics
  const known = { ...catalog, skills: catalog.skills.map(({ name }) => name) }
  const missing = missingNames(text, { ...definition, source: entry.source }, known)
  const notes = entry.source === 'built-in' ? [] : definitionNotes(text, definition)
  return [...diagnostics, ...missing, ...notes].sort((a, b) => a.from - b.from)
}
