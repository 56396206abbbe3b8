import { expect, test } from 'vitest'
import { exitCodeOf, notStarted } from './run-outcome.ts'

test.each([
  ['unknown-agent', 'usage', 2],
  ['folder-gone', 'usage', 2],
  ['not-allowed', 'usage', 2],
  ['log', 'not-started', 1],
  ['locked', 'not-started', 1],
])('a start that fails with %s is %s and exits with %i', (type, outcome, code) => {
  const started = notStarted({ type, message: 'Why.' })
  expect(started).toEqual({ type: outcome, message: 'Why.' })
  expect(exitCodeOf(started)).toBe(code)
})

test('exit codes stay stable for scripts', () => {
  expect(exitCodeOf({ type: 'completed' })).toBe(0)
  expect(exitCodeOf({ type: 'agent-failed', message: '' })).toBe(1)
  expect(exitCodeOf({ type: 'no-access', message: '' })).toBe(3)
  expect(exitCodeOf({ type: 'limit-reached', message: '' })).toBe(4)
  expect(exitCodeOf({ type: 'wrong-report', message: '' })).toBe(5)
  expect(exitCodeOf({ type: 'check-failed', message: '' })).toBe(6)
  expect(exitCodeOf({ type: 'not-merged', message: '' })).toBe(7)
  expect(exitCodeOf({ type: 'interrupted', message: '' })).toBe(130)
})
