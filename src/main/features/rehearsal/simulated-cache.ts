/**
 * A simulated prompt cache: a breakpoint writes the prefix before it, and a later request with the same prefix
 * reads it. Counts tokens as the API does: read, written, and uncached.
 */
import type { CacheLife } from '../../runtime/ports/model.ts'
import type { Prefix, PrefixBlock } from './request-prefix.ts'

export interface CacheUse {
  readonly read: number
  /** All written tokens. */
  readonly written: number
  /** Of them, those that are kept for an hour. */
  readonly writtenForHour: number
  /** Uncached tokens. */
  readonly input: number
}

/** Minimum tokens of a cached prefix. */
const LEAST_TOKENS = 512
const LIFETIME_MS: Readonly<Record<CacheLife, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 }
/** Number of blocks before a breakpoint that are searched for an older entry. */
const LOOK_BACK = 20
const MOST_ENTRIES = 10_000

export class SimulatedCache {
  /** Life and expiry of each entry by digest, least recently used first. */
  private readonly entries = new Map<string, { readonly life: CacheLife; readonly ends: number }>()

  /** The tokens that a request reads and writes at the time `now`, in ms. */
  use(prefix: Prefix, now: number): CacheUse {
    const { blocks } = prefix
    const upTo: number[] = []
    let sum = 0
    for (const block of blocks) {
      sum += block.tokens
      upTo.push(sum)
    }
    const marked = blocks.flatMap((block, index) =>
      block.breakpoint !== null && (upTo[index] ?? 0) >= LEAST_TOKENS ? [index] : [],
    )
    const last = marked.at(-1)
    if (last === undefined) return { read: 0, written: 0, writtenForHour: 0, input: prefix.tokens }

    const hit = this.longestHit(prefix, marked, now)
    const read = hit === null ? 0 : (upTo[hit] ?? 0)
    for (const index of hit === null ? marked : [...marked, hit]) this.keep(blocks[index], now)
    const kept = upTo[last] ?? 0
    const forHour = upTo[marked.findLast((index) => blocks[index]?.breakpoint === '1h') ?? -1] ?? 0
    return {
      read,
      written: kept - read,
      writtenForHour: Math.max(0, forHour - read),
      input: prefix.tokens - kept,
    }
  }

  private longestHit(prefix: Prefix, marked: readonly number[], now: number): number | null {
    for (const index of marked.toReversed())
      for (let back = index; back >= 0 && back > index - LOOK_BACK; back--) {
        const entry = this.entries.get(prefix.blocks[back]?.digest ?? '')
        if (entry !== undefined && entry.ends > now) return back
      }
    return null
  }

  /** A longer life stays: reading an entry starts it again. */
  private keep(block: PrefixBlock | undefined, now: number): void {
    if (block === undefined) return
    const { digest, breakpoint } = block
    const known = this.entries.get(digest)
    const life = breakpoint === '1h' || (known?.life === '1h' && known.ends > now) ? '1h' : '5m'
    this.entries.delete(digest)
    this.entries.set(digest, { life, ends: now + LIFETIME_MS[life] })
    if (this.entries.size <= MOST_ENTRIES) return
    const [oldest] = this.entries.keys()
    if (oldest !== undefined) this.entries.delete(oldest)
  }
}
