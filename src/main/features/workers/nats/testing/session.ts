/** A session with a test's server, closed after the test. */
import { onTestFinished } from 'vitest'
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import { type NatsSession, openNats, type SessionOptions } from '../nats-session.ts'

export function openTestSession(url: string, more: Partial<SessionOptions> = {}): NatsSession {
  const session = openNats({
    url,
    credentials: '',
    ca: '',
    name: 'test',
    clock: createSystemClock(),
    reconnectWait: 20,
    ...more,
  })
  onTestFinished(() => session.close())
  return session
}

/** Resolves when there is a connection and the streams exist. Rejects with the first problem. */
export function ready(session: NatsSession): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () =>
      queueMicrotask(() => {
        for (const stop of stops) stop()
      })
    const stops = [
      session.whenReady(() => {
        resolve()
        end()
      }),
      session.subscribe((state) => {
        if (state.kind !== 'failed') return
        reject(new Error(state.message))
        end()
      }),
    ]
  })
}
