/** Ends a request that receives no more data, or nothing but pings. The SDK's own time limit covers only the headers. */
import type { Clock } from '../../runtime/ports/ports.ts'

/** All in ms. */
export interface WaitLimits {
  /** From the request to the first byte of the answer's body. */
  readonly first: number
  /** Between two pieces of data. */
  readonly idle: number
  /** Without any event but pings. */
  readonly pingsOnly: number
}

export interface IdleWatchdog {
  /** Records received data. Cheap, since every chunk calls it. */
  received(): void
  /** Records an event of the message. */
  progressed(): void
  /** Ends the watch. */
  stop(): void
}

/** Calls `onIdle` once, with the limit that was reached and the time that passed, in ms. */
export function watchIdle(
  clock: Clock,
  limits: WaitLimits,
  onIdle: (reached: keyof WaitLimits, ms: number) => void,
): IdleWatchdog {
  const over = new AbortController()
  let receivedAt = clock.now()
  let progressedAt = receivedAt
  let waitsFor: 'first' | 'idle' = 'first'
  const nextEnd = () => {
    const silent = { reached: waitsFor, at: receivedAt + limits[waitsFor], ms: limits[waitsFor] }
    const pings = {
      reached: 'pingsOnly' as const,
      at: progressedAt + limits.pingsOnly,
      ms: limits.pingsOnly,
    }
    return pings.at < silent.at ? pings : silent
  }
  const watch = async (): Promise<void> => {
    for (;;) {
      const end = nextEnd()
      const left = end.at - clock.now()
      if (left <= 0) return onIdle(end.reached, end.ms)
      // The first byte may bring the end closer.
      await clock.sleep(Math.min(left, limits.idle), over.signal)
      if (over.signal.aborted) return
    }
  }
  void watch().catch(() => {
    // Without a working clock, the request runs without a watchdog.
  })
  return {
    received() {
      waitsFor = 'idle'
      receivedAt = clock.now()
    },
    progressed() {
      progressedAt = clock.now()
    },
    stop() {
      // A reason avoids the creation of a DOMException for every request.
      over.abort('over')
    },
  }
}
