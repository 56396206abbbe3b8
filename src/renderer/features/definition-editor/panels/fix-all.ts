/** Applies all quick fixes except those that the user should confirm. */
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { fixText } from '../../../../shared/agent-definition/fix-text.ts'
import { definitionProblems } from '../source/definition-problems.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

/** A server or skill may only be missing now, so its name is not removed without the user. */
const NEEDS_CONFIRMATION: ReadonlySet<string> = new Set(['unknown-server', 'missing-skill'])

export function isFixed({ code, fixes }: Diagnostic): boolean {
  return fixes.length > 0 && !NEEDS_CONFIRMATION.has(code)
}

export function fixAll(text: string, surroundings: DefinitionSurroundings): string {
  return fixText(text, (now) => definitionProblems(now, surroundings).filter(isFixed)).text
}
