/**
 * Limits the rate of runs that many events request: at most three a second, never two at once, with an
 * exponential backoff after failures.
 */

export interface RunRate {
  /** Requests a run. Requests before or during a run share the next one. */
  request(): void
  /** Forgets earlier failures, because the next run is a different one. */
  resetBackoff(): void
  /** While paused nothing starts. Pending requests are served afterwards. */
  pause(paused: boolean): void
  stop(): void
}

interface RunRateOptions {
  /** Resolves to whether the run succeeded. */
  readonly run: () => Promise<boolean>
  /** A monotonic clock in ms. */
  readonly now: () => number
}

/** Minimum ms from start to start: three a second, with room for timers that fire early. */
const GAP = 340
/** ms in which requests share one run. */
const SETTLE = 40
/** Pause in ms after the first failure. Each further failure doubles it, up to `LONGEST_BACKOFF`. */
const FIRST_BACKOFF = 2000
const LONGEST_BACKOFF = 60_000

export function createRunRate({ run, now }: RunRateOptions): RunRate {
  let wanted = false
  let running = false
  let paused = false
  let stopped = false
  let failures = 0
  /** Counts resets, so that the failure of a run that began before a reset does not count. */
  let resets = 0
  let lastStart = Number.NEGATIVE_INFINITY
  let lastEnd = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const schedule = (): void => {
    if (timer !== undefined || !wanted || running || paused || stopped) return
    const backoff = failures === 0 ? 0 : Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (failures - 1))
    const due = Math.max(lastStart + GAP, lastEnd + backoff)
    timer = setTimeout(start, Math.max(SETTLE, due - now()))
  }
  const unschedule = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const start = (): void => {
    timer = undefined
    wanted = false
    running = true
    lastStart = now()
    const resetsAtStart = resets
    run()
      .catch(() => false)
      .then((worked) => {
        running = false
        lastEnd = now()
        if (resetsAtStart === resets) failures = worked ? 0 : failures + 1
        schedule()
      })
  }

  return {
    request() {
      wanted = true
      schedule()
    },
    resetBackoff() {
      resets++
      failures = 0
      unschedule()
      schedule()
    },
    pause(wish) {
      paused = wish
      if (paused) unschedule()
      else schedule()
    },
    stop() {
      stopped = true
      unschedule()
    },
  }
}
