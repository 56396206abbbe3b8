/** Limits automatic reloads after crashes: three in a minute. */

const MOST = 3
/** ms */
const WITHIN = 60_000

export class CrashCount {
  private crashes: number[] = []

  /** Records a crash at `now` (monotonic ms). @returns whether the page may reload */
  mayReload(now: number): boolean {
    this.crashes = this.crashes.filter((at) => now - at < WITHIN)
    if (this.crashes.length >= MOST) return false
    this.crashes.push(now)
    return true
  }

  /** Resets the count. */
  forget(): void {
    this.crashes = []
  }
}
