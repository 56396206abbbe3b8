/** Ends a request when nothing comes any more: the SDK's own time limit ends as soon as the headers are there. */
import type { Clock } from '../../runtime/ports.ts'

export interface IdleWatchdog {
  /** Something came. Cheap: it is called for every chunk. */
  touch(): void
  /** The request is over. */
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
    // A clock that fails can't watch; the request goes on unwatched.
  })
  return {
    touch() {
      lastAt = clock.now()
    },
    stop() {
      // Without a reason an exception would be made of it, at every request.
      over.abort('over')
    },
  }
}
