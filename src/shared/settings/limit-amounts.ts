/**
 * Amounts as users write them: "5,000,000", "500k", "1.5M", "$20", "0.5". The window's fields and the command line's
 * flags use the same parser.
 */

export type AmountKind = 'tokens' | 'usd' | 'minutes' | 'agents'

/** Null if the text is not an amount of that kind. The caller refuses zero and amounts out of bounds. */
export function readAmount(kind: AmountKind, text: string): number | null {
  const bare = kind === 'usd' ? text.trim().replace(/^(?:US)?\$\s*/i, '') : text.trim()
  const match = AMOUNT.exec(bare)
  if (match === null) return null
  const [, whole = '', fraction = '', unit = ''] = match
  if (unit !== '' && kind !== 'tokens') return null
  const thousands = unit === '' ? 0 : unit.toLowerCase() === 'k' ? 1 : 2
  const amount = Number(`${whole.replace(/[,_ ]/g, '')}${fraction}e${thousands * 3}`)
  const isWhole = kind === 'tokens' || kind === 'agents'
  return isWhole && !Number.isSafeInteger(amount) ? null : amount
}

/** A comma only separates thousands: "1,5" is not read as fifteen. */
const AMOUNT = /^(\d{1,3}(?:[,_ ]\d{3})+|\d{1,15})(\.\d{1,9})?\s?([kM])?$/i
