/** A clock that only the test advances. */
import type { Clock } from '../ports/ports.ts'

export interface HandClock {
  readonly clock: Clock
  /** The number of sleeps under way. */
  readonly sleepers: number
  settle(): Promise<void>
  /** Advances the clock to this time, ms, and runs everything due by then. */
  until(at: number): Promise<void>
}

export function createHandClock(start = 0): HandClock {
  let now = start
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const settle = async () => {
    // Several rounds: an agent that continues may take more than one.
    for (let round = 0; round < 5; round++) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return {
    clock: {
      now: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          if (signal.aborted) return resolve()
          const sleeper = {
            at: now + ms,
            wake: () => {
              sleepers.delete(sleeper)
              resolve()
            },
          }
          sleepers.add(sleeper)
          signal.addEventListener('abort', sleeper.wake, { once: true })
        }),
    },
    get sleepers() {
      return sleepers.size
    },
    settle,
    async until(at) {
      await settle()
      for (;;) {
        const next = [...sleepers].filter((sleeper) => sleeper.at <= at).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        now = Math.max(now, next.at)
        next.wake()
        await settle()
      }
      now = at
    },
  }
}
