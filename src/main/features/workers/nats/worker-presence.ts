/** Heartbeats of remote workers at the NATS server, in a bucket that forgets a worker after a minute of silence. */

import { type KV, Kvm, type KvWatchEntry } from '@nats-io/kv'
import { jsonOrUndefined } from '../../../../shared/kernel/json.ts'
import type { WorkerHeartbeat, WorkerPresence, Workers } from '../../../../shared/workers/worker-presence.ts'
import { workerHeartbeat } from '../../../../shared/workers/worker-presence-schema.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import { clockOffset } from './check-clock.ts'
import type { NatsLink } from './connect-nats.ts'
import { natsFailure } from './nats-failure.ts'
import type { NatsSession } from './nats-session.ts'
import { natsNames } from './subjects.ts'
import { openWatch, pauseAfter } from './waits.ts'

/** ms between heartbeats. */
const HEARTBEAT = 5000

/** ms for which heartbeats are collected. */
const TOGETHER = 1000

/** A worker that was silent for so long is no longer listed, in ms. */
export const FORGOTTEN = 60_000

interface PublishOptions {
  readonly session: NatsSession
  readonly clock: Clock
  /** The worker's description now. `at` is filled in. */
  readonly heartbeat: () => Omit<WorkerHeartbeat, 'at'>
  readonly onProblem: (message: string) => void
}

interface PublishedPresence {
  /** Publishes a changed description at once. */
  now(): Promise<void>
  /** Removes the worker from the others' lists. */
  close(): Promise<void>
}

/** Publishes this worker's heartbeat after each connection and every five seconds. */
export function publishPresence(options: PublishOptions): PublishedPresence {
  const { session, clock, heartbeat, onProblem } = options
  const ended = new AbortController()
  let lastProblem = ''
  let opened: { readonly link: NatsLink; readonly bucket: KV } | null = null
  const bucket = async (link: NatsLink): Promise<KV> => {
    if (opened?.link !== link)
      opened = { link, bucket: await new Kvm(link.connection).open(natsNames.workers) }
    return opened.bucket
  }
  const now = async () => {
    const link = session.link()
    if (link === null || ended.signal.aborted) return
    const value: WorkerHeartbeat = { ...heartbeat(), at: clock.now() }
    try {
      await (await bucket(link)).put(value.workerId, JSON.stringify(value))
      lastProblem = ''
    } catch (thrown) {
      // The session reports a connection that is gone.
      if (session.link() !== link) return
      const { message } = natsFailure(thrown, 'The heartbeat can’t be published')
      if (message !== lastProblem) onProblem(message)
      lastProblem = message
    }
  }
  const stop = session.whenReady(() => void now())
  const beat = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(HEARTBEAT, ended.signal)
      await now()
    }
  }
  void beat()
  return {
    now,
    async close() {
      stop()
      ended.abort()
      const link = session.link()
      if (link === null) return
      const removed = bucket(link).then((workers) => workers.delete(heartbeat().workerId))
      await removed.catch(() => undefined)
    },
  }
}

interface WatchOptions {
  readonly session: NatsSession
  readonly clock: Clock
  /** The jobs and messages that are kept on this disk; 0 by default. */
  readonly outbox?: () => number
}

const isAlike = (one: WorkerHeartbeat, other: WorkerHeartbeat): boolean =>
  one.problem === other.problem && one.agentIds.join() === other.agentIds.join()

/** Follows the heartbeats of all workers, until `close` is called. */
export function watchPresence(options: WatchOptions): Workers & { close(): void } {
  const { session, clock, outbox = () => 0 } = options
  const listeners = new Set<() => void>()
  const workers = new Map<string, WorkerPresence>()
  const ended = new AbortController()
  const changed = () => {
    for (const listener of listeners) listener()
  }

  let isDue = false
  /** Heartbeats that say nothing new are told together. */
  const changedSoon = () => {
    if (isDue) return
    isDue = true
    void clock.sleep(TOGETHER, ended.signal).then(() => {
      isDue = false
      changed()
    })
  }

  const take = (entry: KvWatchEntry, offset: number) => {
    if (entry.operation !== 'PUT') {
      if (workers.delete(entry.key)) changed()
      return
    }
    const read = workerHeartbeat.safeParse(jsonOrUndefined(entry.string()))
    // A worker of another version may describe itself in another way.
    if (!read.success || read.data.workerId !== entry.key) return
    // The first entries are as old as the server says; its clock is not ours.
    const lastSeenAt = entry.isUpdate ? clock.now() : Math.min(clock.now(), entry.created.getTime() - offset)
    const before = workers.get(entry.key)
    workers.set(entry.key, { ...read.data, lastSeenAt })
    if (before !== undefined && isAlike(before, read.data)) changedSoon()
    else changed()
  }

  const follow = async (link: NatsLink) => {
    const generation = link.generation()
    const offset = await clockOffset(link.connection, clock.now)
    const bucket: KV = await new Kvm(link.connection).open(natsNames.workers)
    const entries = await openWatch(link.connection, bucket)
    const stop = () => entries.stop()
    ended.signal.addEventListener('abort', stop)
    if (ended.signal.aborted) stop()
    for await (const entry of entries) {
      // The next connection has its own watch.
      if (ended.signal.aborted || link.generation() !== generation) break
      take(entry, offset.ok ? offset.value : 0)
    }
    ended.signal.removeEventListener('abort', stop)
  }
  const followAgain = async (link: NatsLink) => {
    const generation = link.generation()
    for (let failures = 0; !ended.signal.aborted && link.generation() === generation; failures++) {
      await follow(link).catch(() => undefined)
      await clock.sleep(pauseAfter(failures), ended.signal)
    }
  }
  const stopReady = session.whenReady((link) => void followAgain(link))
  const stopState = session.subscribe(changed)

  const forget = async () => {
    while (!ended.signal.aborted) {
      await clock.sleep(HEARTBEAT, ended.signal)
      const before = workers.size
      for (const [id, { lastSeenAt }] of workers) if (clock.now() - lastSeenAt > FORGOTTEN) workers.delete(id)
      if (workers.size !== before) changed()
    }
  }
  void forget()

  const state = () => ({ nats: session.state(), workers: [...workers.values()], outbox: outbox() })
  return {
    state,
    subscribe(listener) {
      const call = () => listener(state())
      listeners.add(call)
      return () => listeners.delete(call)
    },
    close() {
      ended.abort()
      stopReady()
      stopState()
    },
  }
}
