/**
 * The connection to NATS for as long as a program runs: it is tried forever, and nothing waits for it. `whenReady`
 * functions run after each connection, when the streams exist.
 */

import type { NatsState } from '../../../../shared/workers/worker-presence.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import { checkedClock } from './check-clock.ts'
import { type ConnectOptions, connectNats, type NatsLink } from './connect-nats.ts'
import { ensureStreams, type StreamOptions } from './ensure-streams.ts'
import { pauseAfter } from './waits.ts'

export interface SessionOptions extends ConnectOptions {
  readonly clock: Clock
  readonly streams?: StreamOptions
}

export interface NatsSession {
  state(): NatsState
  /** Calls the listener after each change of the state, until the returned function is called. */
  subscribe(listener: (state: NatsState) => void): () => void
  /** Null: there is no connection now. */
  link(): NatsLink | null
  /** Calls the function now if there is a connection, and after each later one, until the returned function is called. */
  whenReady(run: (link: NatsLink) => void): () => void
  close(): Promise<void>
}

/** ms between attempts: they double from the first to the last. */
const FIRST_WAIT = 1000
const LAST_WAIT = 30_000

export function openNats(options: SessionOptions): NatsSession {
  const { clock, url } = options
  const listeners = new Set<(state: NatsState) => void>()
  const ready = new Set<(link: NatsLink) => void>()
  const ended = new AbortController()
  let link: NatsLink | null = null
  let state: NatsState = { kind: 'connecting', url }
  const change = (next: NatsState) => {
    if (ended.signal.aborted && next.kind !== 'off') return
    state = next
    for (const listener of listeners) listener(next)
  }
  const announce = (made: NatsLink) => {
    for (const run of ready) run(made)
  }
  const follow = (made: NatsLink) => {
    link = made
    change(made.state())
    announce(made)
    made.subscribe((next) => {
      change(next)
      if (next.kind === 'connected') void prepareAgain(made)
    })
  }
  /** The server may have come back with an empty store, or not be ready yet. */
  const prepareAgain = async (made: NatsLink) => {
    const generation = made.generation()
    for (let failures = 0; !ended.signal.aborted && made.generation() === generation; failures++) {
      const ensured = await ensureStreams(made.connection, options.streams)
      if (made.generation() !== generation) return
      if (ensured.ok) {
        if (state.kind !== 'connected') change(made.state())
        return announce(made)
      }
      change({ kind: 'failed', url, message: ensured.failure.message })
      await clock.sleep(pauseAfter(failures), ended.signal)
    }
  }
  /** The message of the failure; null: it is connected. */
  const attempt = async (): Promise<string | null> => {
    const connected = await connectNats(options)
    if (!connected.ok) return connected.failure.message
    const made = connected.value
    const ensured = await ensureStreams(made.connection, options.streams)
    const timed = ensured.ok ? await checkedClock(made.connection, clock.now) : ensured
    if (timed.ok && !ended.signal.aborted) {
      follow(made)
      return null
    }
    await made.close()
    return timed.ok ? null : timed.failure.message
  }
  const run = async () => {
    for (let wait = FIRST_WAIT; !ended.signal.aborted; wait = Math.min(wait * 2, LAST_WAIT)) {
      const message = await attempt()
      if (message === null) return
      change({ kind: 'failed', url, message })
      await clock.sleep(wait, ended.signal)
    }
  }
  void run()
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    link: () => (state.kind === 'connected' ? link : null),
    whenReady(start) {
      ready.add(start)
      if (state.kind === 'connected' && link) start(link)
      return () => ready.delete(start)
    },
    async close() {
      ended.abort()
      await link?.close()
      change({ kind: 'off' })
      listeners.clear()
    },
  }
}
