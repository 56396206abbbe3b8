/**
 * The prompt cache, acted out: a breakpoint writes the prefix up to it, a later request with the same prefix
 * reads it. Counted as the API counts: what is read, what is written, and the rest at full price.
 */
import type { Prefix } from './request-prefix.ts'

export interface CacheUse {
  readonly read: number
  readonly written: number
  /** Tokens that the cache had no part in. */
  readonly input: number
}

/** Shorter prefixes are not kept. */
const LEAST_TOKENS = 512
const LIFETIME_MS = 5 * 60_000
/** How many blocks before a breakpoint an older entry is looked for. */
const LOOK_BACK = 20
const MOST_ENTRIES = 10_000

export class SimulatedCache {
  /** When each entry ends, by digest; the order is that of the last use. */
  private readonly entries = new Map<string, number>()

  /** What a request reads and writes at the time `now`, in ms. */
  use(prefix: Prefix, now: number): CacheUse {
    const { blocks } = prefix
    const upTo: number[] = []
    let sum = 0
    for (const block of blocks) {
      sum += block.tokens
      upTo.push(sum)
    }
    const marked = blocks.flatMap((block, index) =>
      block.breakpoint && (upTo[index] ?? 0) >= LEAST_TOKENS ? [index] : [],
    )
    const last = marked.at(-1)
    if (last === undefined) return { read: 0, written: 0, input: prefix.tokens }

    const hit = this.longestHit(prefix, marked, now)
    const read = hit === null ? 0 : (upTo[hit] ?? 0)
    for (const index of hit === null ? marked : [...marked, hit]) this.keep(blocks[index]?.digest ?? '', now)
    const kept = upTo[last] ?? 0
    return { read, written: kept - read, input: prefix.tokens - kept }
  }

  private longestHit(prefix: Prefix, marked: readonly number[], now: number): number | null {
    for (const index of marked.toReversed())
      for (let back = index; back >= 0 && back > index - LOOK_BACK; back--) {
        const ends = this.entries.get(prefix.blocks[back]?.digest ?? '')
        if (ends !== undefined && ends > now) return back
      }
    return null
  }

  private keep(digest: string, now: number): void {
    this.entries.delete(digest)
    this.entries.set(digest, now + LIFETIME_MS)
    if (this.entries.size <= MOST_ENTRIES) return
    const [oldest] = this.entries.keys()
    if (oldest !== undefined) this.entries.delete(oldest)
  }
}
