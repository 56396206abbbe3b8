/** Takes every mend that there is, one after the other: each is of the text as the one before left it. */
import { applyEdits, type Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { definitionProblems } from '../source/definition-problems.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

/** What is missing now may be there later: nothing is taken out without a look at it. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['unknown-server', 'missing-skill'])

export function isMended({ code, mends }: Diagnostic): boolean {
  return mends.length > 0 && !LEFT_ALONE.has(code)
}

export function mendAll(text: string, surroundings: DefinitionSurroundings): string {
  const tried = new Set<string>()
  let mended = text
  for (;;) {
    const next = definitionProblems(mended, surroundings).find(
      (problem) => isMended(problem) && !tried.has(`${problem.code}:${problem.message}`),
    )
    const mend = next?.mends[0]
    if (next === undefined || mend === undefined) return mended
    tried.add(`${next.code}:${next.message}`)
    mended = applyEdits(mended, mend.edits)
  }
}
