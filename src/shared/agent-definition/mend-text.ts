/** Puts a text right, as far as its problems say how. */
import { applyEdits, type Diagnostic, type TextEdit } from './agent-definition.ts'

export interface MendedText {
  readonly text: string
  /** What was done, in the words of a button. */
  readonly done: readonly string[]
}

type Mendable = Pick<Diagnostic, 'mends'>

/** One mend can uncover the next; a text that never comes to rest is left as it is after so many. */
const MOST_ROUNDS = 100

/** The text with the first mend of each problem made. `problemsOf`: what is to be mended of a text. */
export function mendText(text: string, problemsOf: (text: string) => readonly Mendable[]): MendedText {
  let mended = text
  const done: string[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { edits, labels } = firstMends(problemsOf(mended))
    const next = applyEdits(mended, edits)
    if (next === mended) break
    mended = next
    done.push(...labels)
  }
  return { text: mended, done }
}

/** Of mends that touch the same place the first is taken; the others come up again in the next round. */
function firstMends(problems: readonly Mendable[]): {
  readonly edits: readonly TextEdit[]
  readonly labels: readonly string[]
} {
  const edits: TextEdit[] = []
  const labels: string[] = []
  for (const { mends } of problems) {
    const [mend] = mends
    if (mend === undefined || mend.edits.some((edit) => edits.some((taken) => meet(edit, taken)))) continue
    edits.push(...mend.edits)
    labels.push(mend.label)
  }
  return { edits: edits.sort((a, b) => a.from - b.from), labels }
}

const meet = (a: TextEdit, b: TextEdit): boolean => a.from <= b.to && b.from <= a.to
