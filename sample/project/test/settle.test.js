import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../src/settle.js'

test('whoever owes pays whoever is owed', () => {
  assert.deepEqual(settle(new Map(Object.entries({ Ana: 6000, Ben: -3000, Chloe: -3000 }))), [
    { from: 'Ben', to: 'Ana', cents: 3000 },
    { from: 'Chloe', to: 'Ana', cents: 3000 },
  ])
})

test('afterwards everybody is even', () => {
  const balances = new Map(Object.entries({ Ana: 1250, Ben: -700, Chloe: -50, Dev: 300, Eli: -800 }))
  const transfers = settle(new Map(balances))
  for (const { from, to, cents } of transfers) {
    balances.set(from, balances.get(from) + cents)
    balances.set(to, balances.get(to) - cents)
  }
  assert.deepEqual(new Set(balances.values()), new Set([0]))
  assert.ok(transfers.length < balances.size)
})

test('nobody has to do anything where nobody owes', () => {
  assert.deepEqual(settle(new Map()), [])
})
