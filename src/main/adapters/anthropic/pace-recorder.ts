/** How a message came, for replay: [ms since the request, characters so far], at most `MOST_PAIRS` of them. */

const MOST_PAIRS = 200

export class PaceRecorder {
  private pairs: [number, number][] = []
  private characters = 0
  /** Pieces closer together than this are one pair; it doubles each time the list is full. */
  private apartMs = 0

  add(ms: number, characters: number): void {
    if (characters === 0) return
    this.characters += characters
    const last = this.pairs.at(-1)
    if (last !== undefined && ms - last[0] <= this.apartMs) {
      last[1] = this.characters
      return
    }
    this.pairs.push([ms, this.characters])
    if (this.pairs.length > MOST_PAIRS) this.thin()
  }

  /** The pairs, times and characters increasing; the last one has all characters. */
  pace(): readonly (readonly [number, number])[] {
    return this.pairs
  }

  private thin(): void {
    while (this.pairs.length > MOST_PAIRS / 2) {
      this.apartMs = this.apartMs === 0 ? 16 : this.apartMs * 2
      const kept: [number, number][] = []
      for (const pair of this.pairs) {
        const last = kept.at(-1)
        if (last !== undefined && pair[0] - last[0] <= this.apartMs) last[1] = pair[1]
        else kept.push(pair)
      }
      this.pairs = kept
    }
  }
}
