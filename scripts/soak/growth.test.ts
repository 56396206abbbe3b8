import { expect, test } from 'vitest'
import { growthOf } from './growth.ts'

const limit = { share: 0.1, amount: 2 }
const samples = (value: (index: number) => number) => Array.from({ length: 40 }, (_, index) => value(index))

test('a constant series with peaks has not grown', () => {
  expect(
    growthOf(
      samples((index) => (index === 39 ? 900 : 100)),
      limit,
    ).grew,
  ).toBe(false)
  expect(
    growthOf(
      samples((index) => 100 + (index % 7)),
      limit,
    ).grew,
  ).toBe(false)
})

test('a series that grows steadily above the limit has grown', () => {
  expect(
    growthOf(
      samples((index) => 100 + index),
      limit,
    ),
  ).toEqual({ first: 104.5, last: 134.5, grew: true })
  expect(
    growthOf(
      samples((index) => 100 + index / 10),
      limit,
    ).grew,
  ).toBe(false)
})

test('a shrinking series has not grown', () => {
  expect(
    growthOf(
      samples((index) => 100 - index),
      limit,
    ).grew,
  ).toBe(false)
})

test('too few samples prove nothing', () => {
  expect(growthOf([1, 2, 300], limit).grew).toBe(false)
})
