import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addExpense, balances, createLedger } from '../src/ledger.js'

test('who paid is owed what the others took part in', () => {
  const ledger = createLedger()
  addExpense(ledger, { payer: 'Ana', cents: 9000, what: 'Hut', shares: { Ana: 1, Ben: 1, Chloe: 1 } })
  assert.deepEqual(Object.fromEntries(balances(ledger)), { Ana: 6000, Ben: -3000, Chloe: -3000 })
})

test('shares may differ', () => {
  const ledger = createLedger()
  addExpense(ledger, { payer: 'Ben', cents: 3000, what: 'Fuel', shares: { Ana: 2, Ben: 1 } })
  assert.deepEqual(Object.fromEntries(balances(ledger)), { Ben: 2000, Ana: -2000 })
})

test('an expense costs something and concerns somebody', () => {
  const ledger = createLedger()
  assert.throws(
    () => addExpense(ledger, { payer: 'Ana', cents: 0, what: 'Air', shares: { Ana: 1 } }),
    RangeError,
  )
  assert.throws(() => addExpense(ledger, { payer: 'Ana', cents: 1, what: 'Air', shares: {} }), RangeError)
})
