/** Puts right what is wrong with a definition, as far as its problems say how. */
import { applyEdits, type Diagnostic, type TextEdit } from '../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../shared/agent-definition/read-definition.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { FileSystem } from '../runtime/ports.ts'
import { readNamedFile, stemOf } from './named-files.ts'

/** Mends a file in one step, unless it changes meanwhile. @returns what was done, in the words of a button */
export async function mendFile(
  file: string,
  files: Pick<FileSystem, 'realPath' | 'stat' | 'write'>,
): Promise<Result<readonly string[]>> {
  const real = await files.realPath(file)
  if (!real.ok) return real
  const expected = await files.stat(real.value)
  if (!expected.ok) return expected
  const text = readNamedFile({ path: file, file: real.value, within: null, failure: null })
  // What can't be read is told by whoever looks at it next.
  if (!text.ok) return ok([])
  const mended = mendText(text.value, { stem: stemOf(file), source: file })
  if (mended.text === text.value) return ok([])
  const written = await files.write(real.value, mended.text, { real: true, expected: expected.value })
  return written.ok ? ok(mended.done) : written
}

/** One mend can uncover the next; a text that never comes to rest is left as it is after so many. */
const MOST_ROUNDS = 10

/** The text with the first mend of each problem made, and what was done, in the words of a button. */
export function mendText(
  text: string,
  origin: { readonly stem: string; readonly source: string },
): { readonly text: string; readonly done: readonly string[] } {
  let mended = text
  const done: string[] = []
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { edits, labels } = firstMends(readDefinition(mended, origin).diagnostics)
    const next = applyEdits(mended, edits)
    if (next === mended) break
    mended = next
    done.push(...labels)
  }
  return { text: mended, done }
}

/** Of mends that touch the same place the first is taken; the others come up again in the next round. */
export function firstMends(diagnostics: readonly Pick<Diagnostic, 'mends'>[]): {
  readonly edits: readonly TextEdit[]
  readonly labels: readonly string[]
} {
  const edits: TextEdit[] = []
  const labels: string[] = []
  for (const { mends } of diagnostics) {
    const [mend] = mends
    if (mend === undefined || mend.edits.some((edit) => edits.some((taken) => meet(edit, taken)))) continue
    edits.push(...mend.edits)
    labels.push(mend.label)
  }
  return { edits: edits.sort((a, b) => a.from - b.from), labels }
}

const meet = (a: TextEdit, b: TextEdit): boolean => a.from <= b.to && b.from <= a.to
