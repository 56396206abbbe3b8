/** Applies all certain fixes. Names that another program or a later time may know stay in the text. */
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { fixText } from '../../../../shared/agent-definition/fix-text.ts'
import { definitionProblems } from '../source/definition-problems.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export function isFixed({ fixes }: Diagnostic): boolean {
  return fixes.some(({ isCertain }) => isCertain)
}

export function fixAll(text: string, surroundings: DefinitionSurroundings): string {
  return fixText(text, (now) => definitionProblems(now, surroundings)).text
}
