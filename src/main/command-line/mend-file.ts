/** Puts right what is wrong with the definition in a file, as far as its problems say how. */
import { mendText } from '../../shared/agent-definition/mend-text.ts'
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
  const origin = { stem: stemOf(file), source: file }
  const mended = mendText(text.value, (now) => readDefinition(now, origin).diagnostics)
  if (mended.text === text.value) return ok([])
  const written = await files.write(real.value, mended.text, { real: true, expected: expected.value })
  return written.ok ? ok(mended.done) : written
}
