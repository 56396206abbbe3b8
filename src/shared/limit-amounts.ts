/** Amounts as people write them: "5,000,000", "500k", "1.5M", "$20", "0.5". Fields of the window and flags of the command line read them alike. */

export type AmountKind = 'tokens' | 'usd' | 'minutes' | 'agents'

/** Null where it is no amount of that kind. Zero and what lies out of bounds is for the caller to refuse. */
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

/** A comma parts thousands and nothing else: "1,5" is not taken for fifteen. */
const AMOUNT = /^(\d{1,3}(?:[,_ ]\d{3})+|\d{1,15})(\.\d{1,9})?\s?([kM])?$/i
