/**
 * The default limits, and amounts as users write them: "5,000,000", "500k", "1.5M", "$20", "0.5". The window's fields and the command line's
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

/** The default limits. Not beside the schema of the settings, which the window does not load. */
export const defaultLimits = {
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 3,
  agentTokens: 5_000_000,
  agentUsd: 5,
  agentMinutes: null,
  backgroundMinutes: 60,
  agentSpawns: 25,
  conversationTokens: 50_000_000,
  conversationUsd: 20,
  conversationMinutes: null,
} as const

/** A money limit of the settings. Nobody chose the default amount. */
export const moneyLimit = (usd: number | null, byDefault: number) =>
  usd === byDefault ? ({ usd, usdByDefault: true } as const) : { usd }
