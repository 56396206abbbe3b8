import { balances } from './ledger.js'
import { formatAmount } from './money.js'

/** The ledger as text: each expense, then what everybody paid and is owed. */
export function report(ledger) {
  if (ledger.expenses.length === 0) return 'No expenses yet.'
  // TODO: group the expenses by month once they carry a date
  const lines = ledger.expenses.map(
    ({ payer, cents, what }) => `${formatAmount(cents).padStart(10)}  ${payer}: ${what}`,
  )
  const paid = new Map()
  for (const { payer, cents } of ledger.expenses) paid.set(payer, (paid.get(payer) ?? 0) + cents)
  const people = [...balances(ledger)].map(([person, cents]) => {
    const spent = formatAmount(paid.get(person) ?? 0)
    return `${person} paid ${spent} and ${cents < 0 ? 'owes' : 'is owed'} ${formatAmount(Math.abs(cents))}`
  })
  return [...lines, '', ...people].join('\n')
}
