import { expect, test, vi } from 'vitest'
import { isOver, keepsUp, shareOf } from './time-left.ts'

const MINUTE = 60_000
const files = ['a', 'b', 'c', 'd']

test('without times a run keeps up', () => {
  vi.stubEnv('TROUPE_TEST_TIMES', undefined)
  expect(keepsUp(shareOf('a', files), 99 * MINUTE)).toBe(true)
  expect(keepsUp(shareOf('unknown', files), 99 * MINUTE)).toBe(true)
  expect(isOver(99 * MINUTE)).toBe(false)
})

test('after two minutes, as much of the time may be used as of the files, but for the last three minutes', () => {
  vi.stubEnv('TROUPE_TEST_TIMES', `0 ${13 * MINUTE}`)
  expect(keepsUp(shareOf('a', files), 4 * MINUTE)).toBe(true)
  expect(keepsUp(shareOf('a', files), 5 * MINUTE)).toBe(false)
  expect(keepsUp(shareOf('b', files), 6 * MINUTE)).toBe(true)
  expect(keepsUp(shareOf('d', files), 10 * MINUTE)).toBe(true)
  expect(keepsUp(shareOf('d', files), 11 * MINUTE)).toBe(false)
})

test('the first test of a file begins until two minutes before the end', () => {
  vi.stubEnv('TROUPE_TEST_TIMES', `0 ${13 * MINUTE}`)
  expect(isOver(11 * MINUTE)).toBe(false)
  expect(isOver(11 * MINUTE + 1)).toBe(true)
})
