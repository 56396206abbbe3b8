/** What is wrong with a definition: what its reader says, and what it names that is not there. */
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { missingNames } from '../../../../shared/agent-definition/missing-names.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

/** In the order of their places, in UTF-16 offsets of the text. */
export function definitionProblems(
  text: string,
  { stem, entry, library }: DefinitionSurroundings,
): readonly Diagnostic[] {
  const { definition, diagnostics } = readDefinition(text, { stem, source: entry.source })
  if (definition === null) return diagnostics
  const known = { ...library, skills: library.skills.map(({ name }) => name) }
  const missing = missingNames(text, { ...definition, source: entry.source }, known)
  return [...diagnostics, ...missing].sort((a, b) => a.from - b.from)
}
