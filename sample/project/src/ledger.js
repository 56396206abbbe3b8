import { split } from './money.js'

/** An empty ledger. */
export function createLedger(expenses = []) {
  return { expenses: [...expenses] }
}

/**
 * Adds an expense.
 *
 * @param {{ payer: string, cents: number, what: string, shares: Record<string, number> }} expense
 *   `shares` says who took part, and how much of it: { Ana: 2, Ben: 1 }
 */
export function addExpense(ledger, { payer, cents, what, shares }) {
  if (cents <= 0) throw new RangeError('an expense must cost something')
  if (Object.keys(shares).length === 0) throw new RangeError('somebody must have taken part')
  ledger.expenses.push({ payer, cents, what, shares })
}

/** What each person is owed in cents; below zero, what they owe. Sums up to zero. */
export function balances(ledger) {
  const result = new Map()
  const change = (person, cents) => result.set(person, (result.get(person) ?? 0) + cents)
  for (const { payer, cents, shares } of ledger.expenses) {
    const people = Object.keys(shares)
    const parts = split(cents, Object.values(shares))
    change(payer, cents)
    people.forEach((person, index) => {
      change(person, -parts[index])
    })
  }
  return result
}
