import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAmount, parseAmount } from '../src/money.js'

test('amounts are read', () => {
  assert.equal(parseAmount('12'), 1200)
  assert.equal(parseAmount('12.5'), 1250)
})

test('amounts are written with two digits', () => {
  assert.equal(formatAmount(1205), '12.05')
  assert.equal(formatAmount(-50), '-0.50')
})
