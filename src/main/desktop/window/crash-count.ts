/** How often a page may crash before it is left alone: three times in a minute. */

const MOST = 3
/** ms */
const WITHIN = 60_000

export class CrashCount {
  private crashes: number[] = []

  /** Told of a crash at `now` (ms that never run backwards). */
  mayLoadAgain(now: number): boolean {
    this.crashes = this.crashes.filter((at) => now - at < WITHIN)
    if (this.crashes.length >= MOST) return false
    this.crashes.push(now)
    return true
  }

  /** Begins to count anew. */
  forget(): void {
    this.crashes = []
  }
}
