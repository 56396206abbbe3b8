/** Amounts are whole cents, so that adding them up is exact. */

const AMOUNT = /^(\d{1,9})(?:[.,](\d{1,2}))?$/

/** Reads "12", "12.5" or "12,50". Throws on anything else. */
export function parseAmount(text) {
  const match = AMOUNT.exec(text.trim())
  if (!match) throw new RangeError(`not an amount: ${text}`)
  const [, whole, fraction = ''] = match
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}

/** Writes cents as "12.50". */
export function formatAmount(cents) {
  const sign = cents < 0 ? '-' : ''
  const rest = Math.abs(cents)
  return `${sign}${Math.floor(rest / 100)}.${String(rest % 100).padStart(2, '0')}`
}

/**
 * Splits an amount by shares: split(900, [2, 1]) is [600, 300].
 * The parts add up to the amount.
 */
export function split(cents, shares) {
  const total = shares.reduce((sum, share) => sum + share, 0)
  if (total <= 0) throw new RangeError('there is nobody to split it between')
  return shares.map((share) => Math.round((cents * share) / total))
}
