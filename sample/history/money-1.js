/** Amounts are whole cents, so that adding them up is exact. */

const AMOUNT = /^(\d{1,9})(?:\.(\d{1,2}))?$/

/** Reads "12", "12.5" or "12.50". Throws on anything else. */
export function parseAmount(text) {
  const match = AMOUNT.exec(text)
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
