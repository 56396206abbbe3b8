/** Delays requests after a rate limit. One gate serves all agents of a key, so that one 429 delays every agent. */
import type { Clock } from '../ports.ts'

export class RateGate {
  private until = 0
  private opened = new AbortController()

  /** Milliseconds to wait from `now`; 0 while the gate is open. */
  delay(now: number): number {
    return Math.max(0, this.until - now)
  }

  close(until: number): void {
    this.until = Math.max(this.until, until)
  }

  /** The key changed: limits of the old key no longer apply. */
  open(): void {
    const { opened } = this
    this.until = 0
    this.opened = new AbortController()
    opened.abort()
  }

  /** Resolves after `ms`, or earlier if the gate opens or the signal aborts. */
  async wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, AbortSignal.any([signal, this.opened.signal]))
  }
}
