import { expect, test } from 'vitest'
import { median, pairedDifferences, percentile, tableOf } from './figure.ts'

test('the middle of an even and an odd number of runs', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})

test('a percentile is a value that was measured', () => {
  expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95)).toBe(10)
  expect(percentile([5], 0.99)).toBe(5)
})

test('noise that hits both of a pair falls out', () => {
  expect(pairedDifferences([12, 112], [10, 110])).toEqual([2, 2])
})

test('a missed target is said', () => {
  const table = tableOf([{ name: 'start', unit: 'ms', runs: [120, 100, 140], target: '≤ 50 ms', met: false }])
  expect(table).toMatch(/\| start +\| 120 ms +\| 100–140 \(3\) +\|/)
  expect(table).toContain('**no**')
})

test('the cells of a column have one width', () => {
  const figure = { unit: 'ms', runs: [1], target: '', met: true } as const
  const lines = tableOf([
    { ...figure, name: 'a' },
    { ...figure, name: 'a long name', reference: { name: 'other', runs: [2] } },
  ]).split('\n')
  expect(new Set(lines.map((line) => line.length)).size).toBe(1)
  expect(lines[1]).toMatch(/^\| -{11} \| -{7} \|/)
})
