/** Whether something grew over a long run: the median of its last quarter against that of its first. */
import { median } from '../../bench/figure.ts'

export interface Limit {
  /** Growth must exceed both this share of the first quarter’s median and this amount. */
  readonly share: number
  readonly amount: number
}

export interface Growth {
  readonly first: number
  readonly last: number
  readonly grew: boolean
}

/** With fewer than eight samples `grew` is false. */
export function growthOf(samples: readonly number[], { share, amount }: Limit): Growth {
  const quarter = Math.floor(samples.length / 4)
  const first = median(samples.slice(0, Math.max(1, quarter)))
  const last = median(samples.slice(-Math.max(1, quarter)))
  return { first, last, grew: quarter >= 2 && last > first * (1 + share) + amount }
}
