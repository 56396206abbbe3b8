/** Turns the cost of a session so far, as programs report it, into what each message cost. US dollars. */
export class CostMeter {
  private told: number
  private total: number | null = null
  private readonly before: number

  /** @param before what earlier processes reported for the session */
  constructor(before: number) {
    this.before = before
    this.told = 0
  }

  /** A later report never lowers the total. */
  take(amount: number): void {
    if (!Number.isFinite(amount) || amount < 0) return
    // A program that continues a session counts on from its former cost, or from 0.
    if (this.total === null && this.before > 0 && amount >= this.before) this.told = this.before
    this.total = Math.max(this.total ?? 0, amount)
  }

  /** True: `next` has something to tell. */
  get isNew(): boolean {
    return this.total !== null && this.total > this.told
  }

  /** What was not told yet; null: the program reports no cost. */
  next(): number | null {
    if (this.total === null) return null
    const cost = Math.max(0, this.total - this.told)
    this.told = Math.max(this.told, this.total)
    return cost
  }
}
