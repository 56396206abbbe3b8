/** The values that a line of the command line runs its verb with, for tests. */
import { ok, type Result } from '../../shared/kernel/result.ts'
import { readCommandLine } from '../platform/command-line/command-table.ts'
import { verbs } from '../verbs.ts'

/** The test says what the values are; `help` and `version` are values of their own. The failure is `usage`. */
export function parseLine<Values>(args: readonly string[]): Result<Values> {
  const wanted = readCommandLine(verbs, args)
  if (!wanted.ok) return wanted
  return ok((wanted.value.kind === 'verb' ? wanted.value.values : wanted.value) as Values)
}
