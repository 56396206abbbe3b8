import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addExpense, balances, createLedger } from '../src/ledger.js'

test('who paid is owed what the others took part in', () => {
  const ledger = createLedger()
  addExpense(ledger, { payer: 'Ana', cents: 9000, what: 'Hut', people: ['Ana', 'Ben', 'Chloe'] })
  assert.deepEqual(Object.fromEntries(balances(ledger)), { Ana: 6000, Ben: -3000, Chloe: -3000 })
})
