import { expect, test } from 'vitest'
import { median, pairedDifferences, percentile, tableOf } from './figure.ts'

test('the median of an even and an odd number of runs', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})

test('a percentile is a measured value', () => {
  expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95)).toBe(10)
  expect(percentile([5], 0.99)).toBe(5)
})

test('noise common to a pair cancels out', () => {
  expect(pairedDifferences([12, 112], [10, 110])).toEqual([2, 2])
})

test('a missed target is reported', () => {
  const table = tableOf([{ name: 'start', unit: 'ms', runs: [120, 100, 140], target: '≤ 50 ms', met: false }])
  expect(table).toMatch(/\| start +\| 120 ms +\| 100–140 \(3\) +\|/)
  expect(table).toContain('**no**')
})

test('columns are aligned', () => {
  const figure = { unit: 'ms', runs: [1], target: '', met: true } as const
  const lines = tableOf([
    { ...figure, name: 'a' },
    { ...figure, name: 'a long name', reference: { name: 'other', runs: [2] } },
  ]).split('\n')
  expect(new Set(lines.map((line) => line.length)).size).toBe(1)
  expect(lines[1]).toMatch(/^\| -{11} \| -{7} \|/)
})
