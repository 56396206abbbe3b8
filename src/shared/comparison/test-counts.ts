/** The counts of tests in the output of common test runners. */

export interface TestCounts {
  readonly passed: number
  readonly failed: number
}

/** Null: the output has no counts that are known. The last counts of an output are those of the whole run. */
export function testCounts(output: string): TestCounts | null {
  for (const read of [wordedCounts, tapCounts, mochaCounts]) {
    const counts = read(output)
    if (counts !== null) return counts
  }
  return null
}

/** Summary lines of vitest, jest, pytest, bun and cargo: "Tests  1 failed | 12 passed (13)". */
const SUMMARY = /^(?:\s*Tests:?\s|=+ .*\bin [\d.]+ ?s|test result:|\s*\d+ (?:pass|fail)\b)/

/** The lines of one summary are added: cargo prints one for each crate, bun one for each count. */
function wordedCounts(output: string): TestCounts | null {
  const lines = output.split('\n').filter((line) => SUMMARY.test(line))
  const sum = (words: string) =>
    lines.reduce(
      (total, line) => total + Number(new RegExp(`(\\d+) (?:${words})\\b`).exec(line)?.[1] ?? 0),
      0,
    )
  const counts = { passed: sum('passed|pass'), failed: sum('failed|fail') + sum('errors|error') }
  return counts.passed + counts.failed === 0 ? null : counts
}

/** node:test: "# pass 3", or "ℹ pass 3" on a terminal. */
function tapCounts(output: string): TestCounts | null {
  const passed = lastOf(output, /^(?:#|ℹ) pass (\d+)$/gm)
  const failed = lastOf(output, /^(?:#|ℹ) fail (\d+)$/gm)
  return passed === null && failed === null ? null : { passed: passed ?? 0, failed: failed ?? 0 }
}

/** mocha: "12 passing (3s)". */
function mochaCounts(output: string): TestCounts | null {
  const passed = lastOf(output, /^\s*(\d+) passing\b/gm)
  return passed === null ? null : { passed, failed: lastOf(output, /^\s*(\d+) failing\b/gm) ?? 0 }
}

function lastOf(output: string, pattern: RegExp): number | null {
  const found = [...output.matchAll(pattern)].at(-1)?.[1]
  return found === undefined ? null : Number(found)
}
