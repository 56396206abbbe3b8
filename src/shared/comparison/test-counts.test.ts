import { expect, test } from 'vitest'
import { testCounts } from './test-counts.ts'

test.each([
  ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 35 passed (36)\n', 35, 1],
  ['vitest, all passed', ' Test Files  3 passed (3)\n      Tests  12 passed (12)\n', 12, 0],
  [
    'jest',
    'Test Suites: 1 failed, 2 passed, 3 total\nTests:       2 failed, 1 skipped, 9 passed, 12 total\n',
    9,
    2,
  ],
  ['pytest', '===== 1 failed, 4 passed, 1 error in 0.12s =====', 4, 2],
  [
    'cargo, two crates',
    'test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed; 0 ignored',
    6,
    2,
  ],
  ['node:test', '# tests 4\n# pass 3\n# fail 1\n', 3, 1],
  ['node:test on a terminal', 'ℹ pass 3\nℹ fail 0\n', 3, 0],
  ['bun', ' 7 pass\n 1 fail\nRan 8 tests', 7, 1],
  ['mocha', '\n  5 passing (10ms)\n  2 failing\n', 5, 2],
])('reads %s', (_, output, passed, failed) => {
  expect(testCounts(output)).toEqual({ passed, failed })
})

test.each([
  ['no tests', 'ok  \texample.com/x\t0.1s'],
  ['prose', 'All 3 passed checks are listed. 2 failed attempts before.'],
  ['nothing', ''],
])('finds no counts in %s', (_, output) => {
  expect(testCounts(output)).toBe(null)
})
