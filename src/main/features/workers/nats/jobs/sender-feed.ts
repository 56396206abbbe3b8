/**
 * What the server has about all jobs of a sender, with one consumer for reports, one for records and one for leases,
 * however many jobs there are. Each consumer begins with what is new: what happened before is read job by job.
 */
import { DeliverPolicy } from '@nats-io/jetstream'
import { type KV, type KvEntry, KvWatchInclude } from '@nats-io/kv'
import { natsFailure } from '../nats-failure.ts'
import { nameOf } from '../subjects.ts'
import { inTime, openWatch, pauseAfter } from '../waits.ts'
import { jobNames, leaseKey, liveSubject, reportSubject } from './job-names.ts'
import type { JobStore } from './job-store.ts'

export interface FeedListener {
  /** The consumers are there, for the first time or after a lost connection. The server may have forgotten messages. */
  opened(): void
  /** `data`: a message of the stream of reports, with its number there. */
  report(agentId: string, data: Uint8Array, seq: number): void
  record(jobId: string, text: string): void
  /** The lease of the agent was written. */
  sign(agentId: string): void
  live(agentId: string, text: string): void
  /** The commands of the series up to this number were carried out. */
  commandsDone(agentId: string, series: string, number: number): void
  onProblem(message: string): void
}

interface FeedOptions {
  readonly sender: string
  readonly listener: FeedListener
  readonly signal: AbortSignal
}

/** Resolves when the signal aborts. What breaks is opened again. */
export async function feedSender(store: JobStore, options: FeedOptions): Promise<void> {
  const { listener, signal } = options
  for (let failures = 0; !signal.aborted; ) {
    const over = new AbortController()
    const stopWaiting = store.onReconnect(() => over.abort())
    try {
      const { answerTime } = store.settings
      const opened = openAll(store, { ...options, signal: AbortSignal.any([signal, over.signal]) })
      const ends = await inTime('the reports of this program’s jobs', () => opened, 3 * answerTime)
      failures = 0
      listener.opened()
      // One that ends is opened again with the others.
      await Promise.race(ends.map(({ end }) => end))
    } catch (thrown) {
      const { message } = natsFailure(thrown, 'The reports of remote agents can’t be read')
      if (!over.signal.aborted) listener.onProblem(`${message} It is tried again.`)
    }
    stopWaiting()
    if (over.signal.aborted) continue
    over.abort()
    await store.sleep(pauseAfter(failures++), signal)
  }
}

interface Opened {
  /** Resolves when nothing more arrives. */
  readonly end: Promise<void>
}

/** Throws errors of NATS. */
async function openAll(store: JobStore, options: FeedOptions): Promise<readonly Opened[]> {
  const { sender, listener, signal } = options
  const all = { sender, agentId: '*' }
  const live = store.connection.subscribe(liveSubject(all), {
    callback: (_error, message) => listener.live(agentOf(message.subject), message.string()),
  })
  signal.addEventListener('abort', () => live.unsubscribe(), { once: true })
  const follow = async (bucket: KV, key: string, take: (entry: KvEntry) => void): Promise<Opened> => {
    const include = KvWatchInclude.UpdatesOnly
    const entries = await openWatch(store.connection, bucket, { key, include })
    whenAborted(signal, () => entries.stop())
    const end = async () => {
      for await (const entry of entries) take(entry)
    }
    return { end: end() }
  }
  return Promise.all([
    openReports(store, options),
    follow(store.records, `${sender}.>`, (entry) => takeRecord(entry, listener)),
    follow(store.leases, leaseKey(all), ({ key }) => listener.sign(agentOf(key))),
  ])
}

async function openReports(store: JobStore, { sender, listener, signal }: FeedOptions): Promise<Opened> {
  const consumer = await store.js.consumers.get(jobNames.reports, {
    filter_subjects: reportSubject({ sender, agentId: '*' }),
    deliver_policy: DeliverPolicy.New,
    inactive_threshold: KEPT,
  })
  const messages = await consumer.consume({ max_messages: 500 })
  whenAborted(signal, () => {
    void messages.close().catch(() => undefined)
    void consumer.delete().catch(() => undefined)
  })
  const end = async () => {
    for await (const message of messages) listener.report(agentOf(message.subject), message.data, message.seq)
  }
  return { end: end() }
}

/** ms after which the server removes the consumer of a program that is gone. */
const KEPT = 60_000

function takeRecord(entry: KvEntry, listener: FeedListener): void {
  const [, kind, name = '', series = ''] = entry.key.split('.')
  if (entry.operation !== 'PUT') return
  if (kind === 'job') listener.record(nameOf(name), entry.string())
  if (kind === 'commands') listener.commandsDone(nameOf(name), series, Number(entry.string()))
}

/** The agent of a subject or key that ends with it. */
const agentOf = (subject: string): string => nameOf(subject.slice(subject.lastIndexOf('.') + 1))

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}
