/** An empty ledger. */
export function createLedger(expenses = []) {
  return { expenses: [...expenses] }
}

/** Adds an expense that all who took part share equally. */
export function addExpense(ledger, { payer, cents, what, people }) {
  ledger.expenses.push({ payer, cents, what, people })
}

/** What each person is owed in cents; below zero, what they owe. */
export function balances(ledger) {
  const result = new Map()
  const change = (person, cents) => result.set(person, (result.get(person) ?? 0) + cents)
  for (const { payer, cents, people } of ledger.expenses) {
    change(payer, cents)
    for (const person of people) change(person, -Math.round(cents / people.length))
  }
  return result
}
