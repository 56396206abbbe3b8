import { expect, test, vi } from 'vitest'
import { countPlaywright, countVitest, resultLines } from './runner/test-part.mjs'

test('skipped tests are counted as skipped; a test that passed only when repeated has failed, and is named', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const stats = { expected: 3, flaky: 1, unexpected: 2, skipped: 6 }
  expect(countPlaywright({ stats })).toEqual({ passed: 3, failed: 3, skipped: 6 })
  expect(said.mock.calls.join()).toContain('passed only when repeated')
  const totals = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2 }
  expect(countVitest(totals)).toEqual({ passed: 3, failed: 1, skipped: 2 })
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
