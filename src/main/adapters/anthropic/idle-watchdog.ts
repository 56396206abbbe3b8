/** Ends a request that receives no more data. The SDK's own time limit covers only the headers. */
import type { Clock } from '../../runtime/ports.ts'

export interface IdleWatchdog {
  /** Records received data. Cheap, since every chunk calls it. */
  touch(): void
  /** Ends the watch. */
  stop(): void
}

/** Calls `onIdle` once if `touch` was not called for `idleMs`. */
export function watchIdle(clock: Clock, idleMs: number, onIdle: () => void): IdleWatchdog {
  const over = new AbortController()
  let lastAt = clock.now()
  const watch = async (): Promise<void> => {
    for (;;) {
      const left = lastAt + idleMs - clock.now()
      if (left <= 0) break
      await clock.sleep(left, over.signal)
      if (over.signal.aborted) return
    }
    onIdle()
  }
  void watch().catch(() => {
    // Without a working clock, the request runs without a watchdog.
  })
  return {
    touch() {
      lastAt = clock.now()
    },
    stop() {
      // A reason avoids the creation of a DOMException for every request.
      over.abort('over')
    },
  }
}
