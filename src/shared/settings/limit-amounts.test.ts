import { expect, test } from 'vitest'
import { readAmount } from './limit-amounts.ts'

test('token amounts allow thousands separators and the suffixes k and M', () => {
  const texts = ['5000000', ' 5,000,000 ', '5 000 000', '5_000', '500k', '1.5M', '2 m', '0']
  expect(texts.map((text) => readAmount('tokens', text))).toEqual([
    5e6, 5e6, 5e6, 5000, 500_000, 1_500_000, 2_000_000, 0,
  ])
})

test('money and minutes allow fractions, and money a currency sign', () => {
  expect(['20', '$20', '$ 1,000.50', 'US$3', '0.25'].map((text) => readAmount('usd', text))).toEqual([
    20, 20, 1000.5, 3, 0.25,
  ])
  expect(readAmount('minutes', '0.5')).toBe(0.5)
  expect(readAmount('agents', '12')).toBe(12)
})

test('an invalid amount is rejected', () => {
  const wrong = [
    '',
    'many',
    '-1',
    '1,5',
    '1.500,00',
    '1e9',
    '0x10',
    '5 k k',
    'NaN',
    '٣',
    '1.',
    '.5',
    '5,0000',
  ]
  for (const text of wrong) expect(readAmount('tokens', text), text).toBeNull()
  expect(readAmount('tokens', '1.5')).toBeNull()
  expect(readAmount('tokens', '0.0001k')).toBeNull()
  expect(readAmount('agents', '2.5')).toBeNull()
  expect(['5k', '20€', '1,50'].map((text) => readAmount('usd', text))).toEqual([null, null, null])
})
