/**
 * Transfers that make everybody even: whoever owes most pays whoever is owed most, again and again.
 *
 * @param {Map<string, number>} balances cents, summing up to zero
 * @returns {{ from: string, to: string, cents: number }[]}
 */
export function settle(balances) {
  const open = [...balances].filter(([, cents]) => cents !== 0)
  const transfers = []
  while (open.length > 1) {
    open.sort(([, a], [, b]) => a - b)
    const debtor = open[0]
    const creditor = open[open.length - 1]
    const cents = Math.min(-debtor[1], creditor[1])
    if (cents <= 0) break
    transfers.push({ from: debtor[0], to: creditor[0], cents })
    debtor[1] += cents
    creditor[1] -= cents
    for (let at = open.length - 1; at >= 0; at--) if (open[at][1] === 0) open.splice(at, 1)
  }
  return transfers
}
