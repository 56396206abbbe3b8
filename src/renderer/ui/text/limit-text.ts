/** Limits in text fields: an amount, or empty for no limit. */
import { type AmountKind, readAmount } from '../../../shared/settings/limit-amounts.ts'

export interface Bounds {
  /** `above 0` accepts fractions of the unit. */
  readonly min: number | 'above 0'
  readonly max: number | null
}

export type ReadLimit =
  | { readonly ok: true; readonly value: number | null }
  | { readonly ok: false; readonly message: string }

/** Reads a field. Invalid input returns a message that states the valid input. */
export function readLimit(kind: AmountKind, text: string, bounds: Bounds): ReadLimit {
  if (text.trim() === '') return { ok: true, value: null }
  const value = readAmount(kind, text)
  const { min, max } = bounds
  const fits =
    value !== null && (min === 'above 0' ? value > 0 : value >= min) && (max === null || value <= max)
  return fits ? { ok: true, value } : { ok: false, message: expectedRange(kind, bounds) }
}

/** "5,000,000"; empty for no limit. */
export function limitText(value: number | null): string {
  return value === null ? '' : value.toLocaleString('en', { maximumFractionDigits: 6 })
}

function expectedRange(kind: AmountKind, { min, max }: Bounds): string {
  const what = { tokens: 'A whole number', agents: 'A whole number', usd: 'An amount', minutes: 'A number' }
  const from = min === 'above 0' ? 'above 0' : `from ${limitText(min)}`
  const to = max === null ? '' : min === 'above 0' ? `, at most ${limitText(max)}` : ` to ${limitText(max)}`
  return `${what[kind]} ${from}${to}. Leave it empty for no limit.`
}
