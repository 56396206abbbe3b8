import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { countFrom, countPlaywright, countVitest, resultLines } from './runner/test-part.mjs'

test('skipped tests are counted as skipped; a few tests that passed only when repeated are named, more have failed', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const stats = { expected: 3, flaky: 1, unexpected: 2, skipped: 6 }
  expect(countPlaywright({ stats })).toEqual({ passed: 4, failed: 2, skipped: 6 })
  expect(said.mock.calls.join()).toContain('passed only when repeated')
  const many = { ...stats, flaky: 6 }
  expect(countPlaywright({ stats: many })).toEqual({ passed: 3, failed: 8, skipped: 6 })
})

test('a test that a late run leaves out is skipped; one that passed only when repeated is told with what failed first', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  // A test that is left out is neither passed nor failed, and vitest does not count it as pending.
  const totals = { numTotalTests: 20, numPassedTests: 17, numFailedTests: 1, numPendingTests: 1 }
  const withRepeated = (repeated: number) => ({
    ...totals,
    testResults: Array.from({ length: 17 }, (_, at) => ({
      assertionResults: [
        { status: 'passed', fullName: `test ${at}`, failureMessages: at < repeated ? ['Error: late'] : [] },
        { status: 'failed', fullName: 'broken', failureMessages: ['Error: wrong'] },
      ],
    })),
  })
  expect(countVitest(withRepeated(0))).toEqual({ passed: 17, failed: 1, skipped: 2 })
  expect(said).not.toHaveBeenCalled()
  expect(countVitest(withRepeated(1))).toEqual({ passed: 17, failed: 1, skipped: 2 })
  expect(said.mock.calls.join()).toMatch(
    /test 0\nError: late[\s\S]*passed only when repeated \(see above\): 1\./,
  )
  expect(countVitest(withRepeated(6))).toEqual({ passed: 11, failed: 7, skipped: 2 })
})

test('a part that failed outside of its tests counts one failure, and says why no test is marked', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const folder = mkdtempSync(join(tmpdir(), 'troupe-part-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const report = join(folder, 'report.json')

  expect(countFrom(report, countVitest, 0)).toEqual({ passed: 0, failed: 1 })
  expect(said.mock.lastCall?.join()).toContain('No report of the tests')

  const write = (numFailedTests: number) =>
    writeFileSync(
      report,
      JSON.stringify({
        numTotalTests: 3 + numFailedTests,
        numPassedTests: 3,
        numFailedTests,
        testResults: [],
      }),
    )
  write(0)
  expect(countFrom(report, countVitest, 1)).toEqual({ passed: 3, failed: 1, skipped: 0 })
  expect(said.mock.lastCall?.join()).toContain('No test failed')

  const before = said.mock.calls.length
  expect(countFrom(report, countVitest, 0)).toEqual({ passed: 3, failed: 0, skipped: 0 })
  write(2)
  expect(countFrom(report, countVitest, 1)).toEqual({ passed: 3, failed: 2, skipped: 0 })
  expect(said.mock.calls).toHaveLength(before)
})

test('the last line is the result; skipped tests have a line before it', () => {
  expect(
    resultLines([
      { passed: 4, failed: 1 },
      { passed: 2, failed: 0 },
    ]),
  ).toEqual(['6 passed, 1 failed'])
  expect(
    resultLines([
      { passed: 4, failed: 0, skipped: 0 },
      { passed: 0, failed: 0, skipped: 6 },
    ]),
  ).toEqual(['6 skipped (see above)', '4 passed, 0 failed'])
})
