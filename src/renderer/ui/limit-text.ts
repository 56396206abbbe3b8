/** Limits as fields show and read them: an amount, or nothing for no limit. */
import { type AmountKind, readAmount } from '../../shared/limit-amounts.ts'

export interface Bounds {
  /** A fraction of the unit is enough: anything above zero. */
  readonly min: number | 'above 0'
  readonly max: number | null
}

export type ReadLimit =
  | { readonly ok: true; readonly value: number | null }
  | { readonly ok: false; readonly words: string }

/** What a field holds; wrong input comes back as words that say what is right. */
export function readLimit(kind: AmountKind, text: string, bounds: Bounds): ReadLimit {
  if (text.trim() === '') return { ok: true, value: null }
  const value = readAmount(kind, text)
  const { min, max } = bounds
  const fits =
    value !== null && (min === 'above 0' ? value > 0 : value >= min) && (max === null || value <= max)
  return fits ? { ok: true, value } : { ok: false, words: wantedWords(kind, bounds) }
}

/** "5,000,000"; empty where there is no limit. */
export function limitText(value: number | null): string {
  return value === null ? '' : value.toLocaleString('en', { maximumFractionDigits: 6 })
}

function wantedWords(kind: AmountKind, { min, max }: Bounds): string {
  const what = { tokens: 'A whole number', agents: 'A whole number', usd: 'An amount', minutes: 'A number' }
  const from = min === 'above 0' ? 'above 0' : `from ${limitText(min)}`
  const to = max === null ? '' : min === 'above 0' ? `, at most ${limitText(max)}` : ` to ${limitText(max)}`
  return `${what[kind]} ${from}${to}. Leave it empty for no limit.`
}
