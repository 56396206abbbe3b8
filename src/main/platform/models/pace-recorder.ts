/** The pace of a message, for replay: [ms since the request, characters so far], at most `MAX_PAIRS` pairs. */

const MAX_PAIRS = 200

export class PaceRecorder {
  private pairs: [number, number][] = []
  private counted = 0
  /** Pieces closer together than this share a pair. Doubles each time the list is full. */
  private gapMs = 0

  add(ms: number, characters: number): void {
    if (characters === 0) return
    this.counted += characters
    const last = this.pairs.at(-1)
    if (last !== undefined && ms - last[0] <= this.gapMs) {
      last[1] = this.counted
      return
    }
    this.pairs.push([ms, this.counted])
    if (this.pairs.length > MAX_PAIRS) this.thin()
  }

  /** All characters so far. */
  get characters(): number {
    return this.counted
  }

  /** Pairs with increasing times and characters. The last pair counts all characters. */
  pace(): readonly (readonly [number, number])[] {
    return this.pairs
  }

  private thin(): void {
    while (this.pairs.length > MAX_PAIRS / 2) {
      this.gapMs = this.gapMs === 0 ? 16 : this.gapMs * 2
      const kept: [number, number][] = []
      for (const pair of this.pairs) {
        const last = kept.at(-1)
        if (last !== undefined && pair[0] - last[0] <= this.gapMs) last[1] = pair[1]
        else kept.push(pair)
      }
      this.pairs = kept
    }
  }
}
