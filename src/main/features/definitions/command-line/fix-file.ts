/** Applies the available fixes to a definition file. */
import { fixText } from '../../../../shared/agent-definition/fix-text.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { readNamedFile, stemOf } from '../../../platform/command-line/named-files.ts'
import type { FileSystem } from '../../../runtime/ports.ts'

/** Rewrites the file atomically, unless it changes meanwhile. @returns the labels of the applied fixes */
export async function fixFile(
  file: string,
  files: Pick<FileSystem, 'realPath' | 'stat' | 'write'>,
): Promise<Result<readonly string[]>> {
  const real = await files.realPath(file)
  if (!real.ok) return real
  const expected = await files.stat(real.value)
  if (!expected.ok) return expected
  const text = readNamedFile({ path: file, file: real.value, within: null, failure: null })
  // The check that follows reports an unreadable file.
  if (!text.ok) return ok([])
  const origin = { stem: stemOf(file), source: file }
  const fixed = fixText(text.value, (now) => readDefinition(now, origin).diagnostics)
  if (fixed.text === text.value) return ok([])
  const written = await files.write(real.value, fixed.text, { real: true, expected: expected.value })
  return written.ok ? ok(fixed.done) : written
}
