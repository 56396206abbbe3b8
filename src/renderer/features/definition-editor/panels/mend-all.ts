/** Takes every mend that there is, but for those that a person looks at first. */
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { mendText } from '../../../../shared/agent-definition/mend-text.ts'
import { definitionProblems } from '../source/definition-problems.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

/** What is missing now may be there later: nothing is taken out without a look at it. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['unknown-server', 'missing-skill'])

export function isMended({ code, mends }: Diagnostic): boolean {
  return mends.length > 0 && !LEFT_ALONE.has(code)
}

export function mendAll(text: string, surroundings: DefinitionSurroundings): string {
  return mendText(text, (now) => definitionProblems(now, surroundings).filter(isMended)).text
}
