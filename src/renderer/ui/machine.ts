/**
 * What the window takes from the machine: the time, new keys and calls later. No other file of the window asks the
 * machine for the time or for random numbers.
 */
import { useSyncExternalStore } from 'react'

/** ms since the epoch. */
export const timeNow = (): number => Date.now()

/** ms since the page was loaded, for durations: no change of the machine's time moves it. */
export const elapsedMs = (): number => performance.now()

/** A key that no other thing has. */
export const newKey = (): string => crypto.randomUUID()

/** A call that many changes share: it comes once, some time after the first of them. */
export class DelayedCall {
  private readonly run: () => void
  private readonly ms: number
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(run: () => void, ms: number) {
    this.run = run
    this.ms = ms
  }

  /** Calls later, unless a call waits already. */
  schedule(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      this.run()
    }, this.ms)
  }

  /** The call that waits does not come. */
  cancel(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}

const TICK = 1000

/** One clock for everything on the screen that counts seconds. It stops while no component uses it. */
class Seconds {
  private readonly listeners = new Set<() => void>()
  private now = timeNow()
  private heldAt: number | null = null
  private timer: ReturnType<typeof setInterval> | undefined

  readonly read = (): number => this.heldAt ?? this.now

  hold(at: number | null): void {
    this.heldAt = at
    for (const listener of this.listeners) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) {
      this.now = timeNow()
      this.timer = setInterval(() => this.tick(), TICK)
    }
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) clearInterval(this.timer)
    }
  }

  private tick(): void {
    this.now = timeNow()
    for (const listener of this.listeners) listener()
  }
}

const seconds = new Seconds()

/** What counts seconds on the screen shows this moment, ms since the epoch, until null lets it go on. */
export const holdClock = (at: number | null): void => seconds.hold(at)

/** The time in ms since the epoch, updated every second while `running`; otherwise the last update. */
export function useNow(running: boolean): number {
  return useSyncExternalStore(running ? seconds.subscribe : never, seconds.read)
}

function never(): () => void {
  return () => {}
}
