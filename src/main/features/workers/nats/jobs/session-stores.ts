/** The job queue over a session: opened with the first connection. */

import type { Clock } from '../../../../runtime/ports/ports.ts'
import type { NatsLink } from '../connect-nats.ts'
import type { NatsSession } from '../nats-session.ts'
import { pauseAfter } from '../waits.ts'
import { type JobSettings, type JobStore, type JobStores, openJobStore } from './job-store.ts'

interface SessionStores extends JobStores {
  /** Resolves with the store when there is one; null: the signal aborted. */
  opened(signal: AbortSignal): Promise<JobStore | null>
  close(): void
}

/** @param onProblem called with why the queue can't be opened; it is tried again */
export function createSessionStores(
  session: NatsSession,
  onProblem: (message: string) => void,
  { sleep, settings }: { readonly sleep: Clock['sleep']; readonly settings?: JobSettings | undefined },
): SessionStores {
  const listeners = new Set<() => void>()
  const closed = new AbortController()
  let store: JobStore | null = null
  let isOpening = false
  const open = async ({ connection }: NatsLink) => {
    if (store !== null || isOpening) return
    isOpening = true
    for (let failures = 0; !closed.signal.aborted && !connection.isClosed(); failures++) {
      const opened = await openJobStore(connection, sleep, settings)
      if (opened.ok) {
        store = opened.value
        for (const listener of [...listeners]) listener()
        break
      }
      if (session.link() !== null) onProblem(`${opened.failure.message} It is tried again.`)
      await sleep(pauseAfter(failures), closed.signal)
    }
    isOpening = false
  }
  const stop = session.whenReady((link) => void open(link))
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
    close() {
      stop()
      closed.abort()
    },
  }
}
