/**
 * A simulated prompt cache: a breakpoint writes the prefix before it, and a later request with the same prefix
 * reads it. Counts tokens as the API does: read, written, and uncached.
 */
import type { Prefix } from './request-prefix.ts'

export interface CacheUse {
  readonly read: number
  readonly written: number
  /** Uncached tokens. */
  readonly input: number
}

/** Minimum tokens of a cached prefix. */
const LEAST_TOKENS = 512
const LIFETIME_MS = 5 * 60_000
/** Number of blocks before a breakpoint that are searched for an older entry. */
const LOOK_BACK = 20
const MOST_ENTRIES = 10_000

export class SimulatedCache {
  /** Expiry of each entry by digest, least recently used first. */
  private readonly entries = new Map<string, number>()

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
