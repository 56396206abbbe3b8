/** The job queue over a session: opened with the first connection. */

import type { Clock } from '../../../../runtime/ports/ports.ts'
import type { NatsSession } from '../nats-session.ts'
import { type JobSettings, type JobStore, openJobStore } from './job-store.ts'
import type { JobStores } from './job-stores.ts'

interface SessionStores extends JobStores {
  /** Resolves with the store when there is one; null: the signal aborted. */
  opened(signal: AbortSignal): Promise<JobStore | null>
  close(): void
}

/** @param onProblem called with why the queue can't be opened; it is tried again with each connection */
export function createSessionStores(
  session: NatsSession,
  onProblem: (message: string) => void,
  { sleep, settings }: { readonly sleep: Clock['sleep']; readonly settings?: JobSettings | undefined },
): SessionStores {
  const listeners = new Set<() => void>()
  let store: JobStore | null = null
  let isOpening = false
  const stop = session.whenReady(({ connection }) => {
    if (store !== null || isOpening) return
    isOpening = true
    void openJobStore(connection, sleep, settings)
      .then((opened) => {
        if (!opened.ok) return onProblem(opened.failure.message)
        store = opened.value
        for (const listener of [...listeners]) listener()
      })
      .finally(() => {
        isOpening = false
      })
  })
  const onOpen = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    current: () => store,
    onOpen,
    opened: (signal) =>
      new Promise((resolve) => {
        const end = () => {
          stopWaiting()
          signal.removeEventListener('abort', end)
          resolve(signal.aborted ? null : store)
        }
        const stopWaiting = onOpen(end)
        signal.addEventListener('abort', end, { once: true })
        if (store !== null || signal.aborted) end()
      }),
    close: stop,
  }
}
