import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAmount, parseAmount, split } from '../src/money.js'

test('amounts are read with a point or a comma', () => {
  assert.equal(parseAmount('12'), 1200)
  assert.equal(parseAmount('12.5'), 1250)
  assert.equal(parseAmount(' 12,05 '), 1205)
})

test('what is no amount is refused', () => {
  for (const text of ['', 'twelve', '1.234', '-3', '1e3']) {
    assert.throws(() => parseAmount(text), RangeError)
  }
})

test('amounts are written with two digits', () => {
  assert.equal(formatAmount(1205), '12.05')
  assert.equal(formatAmount(-50), '-0.50')
})

test('an amount is split by shares', () => {
  assert.deepEqual(split(900, [2, 1]), [600, 300])
  assert.throws(() => split(900, []), RangeError)
})
