import { describe, expect, test } from 'vitest'
import { firstFailureLine, placesIn, testCounts } from './test-outcome.ts'

describe('summaries of test runners', () => {
  test.each([
    ['vitest', ' Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 40 passed (42)\n', 40, 2],
    ['vitest, all passed', ' Test Files  3 passed (3)\n      Tests  40 passed (40)\n', 40, 0],
    [
      'jest',
      'Test Suites: 1 failed, 2 total\nTests:       1 failed, 2 skipped, 12 passed, 15 total\n',
      12,
      1,
    ],
    ['node, TAP', 'TAP version 13\n# tests 3\n# pass 2\n# fail 1\n', 2, 1],
    ['node, in its terminal format', 'ℹ tests 3\nℹ pass 3\nℹ fail 0\n', 3, 0],
    ['mocha', '  12 passing (30ms)\n  2 failing\n', 12, 2],
    ['pytest', '=== 1 failed, 12 passed in 0.31s ===\n', 12, 1],
    ['pytest, quiet', '12 passed in 0.31s\n', 12, 0],
    ['pytest, broken', '=== 2 errors in 0.31s ===\n', null, 2],
    [
      'cargo',
      'test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 4 passed; 1 failed; 0 ignored\n',
      7,
      1,
    ],
    ['unittest', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n', 3, 2],
    ['rspec', '5 examples, 1 failure\n', 4, 1],
    ['minitest', '5 runs, 10 assertions, 1 failures, 1 errors, 0 skips\n', 3, 2],
    ['phpunit', 'Tests: 5, Assertions: 9, Failures: 1.\n', 4, 1],
    ['phpunit, all passed', 'OK (5 tests, 9 assertions)\n', 5, 0],
    ['maven', 'Tests run: 7, Failures: 1, Errors: 1, Skipped: 0\n', 5, 2],
    ['dotnet', 'Failed!  - Failed:     1, Passed:     8, Skipped:     0\n', 8, 1],
    ['go, verbose', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n', 1, 1],
    ['bun', ' 8 pass\n 1 fail\n', 8, 1],
    ['deno', 'FAILED | 8 passed | 1 failed (30ms)\n', 8, 1],
    ['TAP without figures', 'TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n', 1, 1],
  ])('%s', (_, output, passed, failed) => {
    expect(testCounts(output)).toEqual({ passed, failed })
  })

  test('figures are never invented', () => {
    expect(testCounts('Everything went wrong.\nmake: *** [test] Error 2\n')).toBeNull()
    expect(testCounts('')).toBeNull()
  })
})

describe('locations that a failed run names', () => {
  const folder = '/home/ana/clock'

  test('locations in the folder, near the failure first, none from elsewhere', () => {
    const output = [
      'running src/setup.js:1',
      'AssertionError [ERR_ASSERTION]: 5 !== 6',
      '    at /home/ana/clock/node_modules/chai/index.js:9:1',
      '    at node:internal/process:12:3',
      '    at TestContext.<anonymous> (file:///home/ana/clock/test/a.test.js:9:10)',
      '    at /elsewhere/b.js:3:1',
    ].join('\n')
    expect(placesIn(output, folder)).toEqual([
      { path: 'test/a.test.js', line: 9 },
      { path: 'src/setup.js', line: 1 },
    ])
  })

  test.each([
    [
      'Python',
      '  File "/home/ana/clock/tests/test_a.py", line 12, in test_b\n    assert False',
      'tests/test_a.py',
      12,
    ],
    ['pytest', 'tests/test_a.py:12: AssertionError', 'tests/test_a.py', 12],
    ['Go', '    clock_test.go:31: got 5, want 6', 'clock_test.go', 31],
    ['Rust', "thread 'a' panicked at src/lib.rs:7:5:", 'src/lib.rs', 7],
    ['vitest', ' ❯ src/clock.test.ts:4:12', 'src/clock.test.ts', 4],
    ['node TAP', "  location: '/home/ana/clock/test/a.test.js:5:1'", 'test/a.test.js', 5],
  ])('%s', (_, output, path, line) => {
    expect(placesIn(output, folder)).toContainEqual({ path, line })
  })

  test('a very long line is skipped', () => {
    expect(placesIn(`${'a/'.repeat(200_000)}b.js:1`, folder)).toEqual([])
  })
})

test('the failure in the output’s own words', () => {
  expect(firstFailureLine('ok 1\n  Error: boom\n')).toBe('Error: boom')
  expect(firstFailureLine('✖ days (3ms)\n')).toBe('✖ days (3ms)')
  expect(firstFailureLine('E       assert 5 == 6')).toBe('E       assert 5 == 6')
  expect(firstFailureLine('all quiet')).toBeNull()
})
