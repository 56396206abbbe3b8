/** Applies the fixes of a text's problems. */
import { applyEdits, type Diagnostic, type TextEdit } from './agent-definition.ts'

interface FixedText {
  readonly text: string
  /** The labels of the applied fixes. */
  readonly done: readonly string[]
}

type Fixable = Pick<Diagnostic, 'fixes'>

/** Maximum rounds: one fix can reveal the next problem, and some texts would never settle. */
const MOST_ROUNDS = 100

/** Applies the first certain fix of each problem, again and again. @param problemsOf finds the problems of a text */
export function fixText(text: string, problemsOf: (text: string) => readonly Fixable[]): FixedText {
  let fixed = text
  const done: string[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { edits, labels } = firstFixes(problemsOf(fixed))
    const next = applyEdits(fixed, edits)
    if (next === fixed) break
    fixed = next
    done.push(...labels)
  }
  return { text: fixed, done }
}

/** Only the first of overlapping fixes is applied; the next round finds the others again. */
function firstFixes(problems: readonly Fixable[]): {
  readonly edits: readonly TextEdit[]
  readonly labels: readonly string[]
} {
  const edits: TextEdit[] = []
  const labels: string[] = []
  for (const { fixes } of problems) {
    const fix = fixes.find(({ isCertain }) => isCertain)
    if (fix === undefined || fix.edits.some((edit) => edits.some((taken) => meet(edit, taken)))) continue
    edits.push(...fix.edits)
    labels.push(fix.label)
  }
  return { edits: edits.sort((a, b) => a.from - b.from), labels }
}

const meet = (a: TextEdit, b: TextEdit): boolean => a.from <= b.to && b.from <= a.to
