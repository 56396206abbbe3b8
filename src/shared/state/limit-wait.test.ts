import { expect, test } from 'vitest'
import { clockText, untilText } from './limit-wait.ts'

const at = (hours: number, minutes: number, day = 22) => new Date(2026, 10, day, hours, minutes).getTime()

test.each([
  [at(14, 32), '14:32 (in 2 h 10 min)'],
  [at(12, 23), '12:23 (in 1 min)'],
  [at(13, 22), '13:22 (in 1 h)'],
  [at(12, 22), '12:22 (now)'],
  [at(12, 0), '12:00 (now)'],
  [at(0, 22, 23), 'Nov 23, 00:22 (in 12 h)'],
])('the end of a limit is told as %s', (end, text) => {
  expect(untilText(end, at(12, 22))).toBe(text)
})

test('less than a minute counts as one', () => {
  expect(untilText(at(12, 22) + 5000, at(12, 22))).toContain('(in 1 min)')
  expect(clockText(at(9, 5), at(12, 0))).toBe('09:05')
})
