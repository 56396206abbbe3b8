import { balances } from './ledger.js'
import { formatAmount } from './money.js'

/** The ledger as text: each expense, then what everybody is owed. */
export function report(ledger) {
  const lines = ledger.expenses.map(({ payer, cents, what }) => `${formatAmount(cents)} ${payer}: ${what}`)
  const people = [...balances(ledger)].map(([person, cents]) => `${person} ${formatAmount(cents)}`)
  return [...lines, '', ...people].join('\n')
}
