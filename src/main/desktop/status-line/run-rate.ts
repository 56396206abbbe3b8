/**
 * How often something runs that many things ask for: soon, at most three times a second, never two at once,
 * and less and less often while it fails.
 */

export interface RunRate {
  /** Asks for a run. Those who ask while one is due or at work share the next one. */
  soon(): void
  /** Forgets earlier failures: what is run now is another thing. */
  forgive(): void
  /** While paused nothing starts; who asked meanwhile is served afterwards. */
  pause(paused: boolean): void
  stop(): void
}

export interface RunRateOptions {
  /** Resolves to whether it worked. */
  readonly run: () => Promise<boolean>
  /** Milliseconds that never run backwards. */
  readonly now: () => number
}

/** ms from start to start: three in a second, with room for timers that fire early. */
const GAP = 340
/** ms in which what happens together is taken together. */
const SETTLE = 40
/** ms of rest after the first failure; each further one doubles it, up to the longest. */
const FIRST_REST = 2000
const LONGEST_REST = 60_000

export function createRunRate({ run, now }: RunRateOptions): RunRate {
  let wanted = false
  let running = false
  let paused = false
  let stopped = false
  let failures = 0
  /** Counts how often failures were forgiven: a run that began before is not counted against what came after. */
  let era = 0
  let lastStart = Number.NEGATIVE_INFINITY
  let lastEnd = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const schedule = (): void => {
    if (timer !== undefined || !wanted || running || paused || stopped) return
    const rest = failures === 0 ? 0 : Math.min(LONGEST_REST, FIRST_REST * 2 ** (failures - 1))
    const due = Math.max(lastStart + GAP, lastEnd + rest)
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
    const begunIn = era
    run()
      .catch(() => false)
      .then((worked) => {
        running = false
        lastEnd = now()
        if (begunIn === era) failures = worked ? 0 : failures + 1
        schedule()
      })
  }

  return {
    soon() {
      wanted = true
      schedule()
    },
    forgive() {
      era++
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
