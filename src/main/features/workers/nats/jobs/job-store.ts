/** The streams and buckets of the job queue at a NATS server. Uses only what a server of version 2.9 has. */
import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { type ObjectStore, Objm } from '@nats-io/obj'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import { fail, ok, type Result } from '../../../../../shared/kernel/result.ts'
import type { Clock } from '../../../../runtime/ports/ports.ts'
import { natsFailure } from '../nats-failure.ts'
import { natsNames } from '../subjects.ts'
import { ANSWER_TIME } from '../waits.ts'
import { jobNames } from './job-names.ts'

export interface JobSettings {
  /** How long the server waits for a worker's heartbeat before it gives the job to another one, in ms. */
  readonly ackWait: number
  /** How long a lease holds without being renewed, in ms. Less than `ackWait`. */
  readonly leaseTtl: number
  /** How long a job that a worker does not take is put aside, in ms; longer with each time. */
  readonly retryWait: number
  /** Workers that may fail at a job. */
  readonly maxAttempts: number
  /** How long reports and the records of jobs are kept, in ms. */
  readonly keep: number
  /** How long a worker's request for a job waits at the server, in ms; at least a second. */
  readonly requestTime: number
  /** How long a route is kept from which no worker takes jobs, in ms. Its jobs stay. */
  readonly idleRoute: number
  /** Time for an answer of the server, in ms. */
  readonly answerTime: number
  /** How long no worker may have what a queued job needs before the job is refused, in ms. */
  readonly noWorkerTime: number
}

export const defaultJobSettings: JobSettings = {
  ackWait: 25_000,
  // A server that is started again within 8 s interrupts nothing.
  leaseTtl: 20_000,
  retryWait: 2000,
  maxAttempts: 5,
  keep: 7 * 24 * 60 * 60 * 1000,
  requestTime: 20_000,
  idleRoute: 60 * 60 * 1000,
  answerTime: ANSWER_TIME,
  noWorkerTime: 30_000,
}

export interface JobStore {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly routes: KV
  readonly records: KV
  readonly leases: KV
  readonly objects: ObjectStore
  readonly settings: JobSettings
  /** Waits before something is tried again, as the `Clock` port does. */
  readonly sleep: Clock['sleep']
  /** Calls the listener after each reconnection, until the returned function is called. */
  onReconnect(listener: () => void): () => void
}

/** The store, as soon as a connection was made for the first time. */
export interface JobStores {
  /** Null: there was no connection yet. */
  current(): JobStore | null
  /** Calls the listener when the store opens, until the returned function is called. */
  onOpen(listener: () => void): () => void
}

/** Opens the store, and makes what is missing at the server. Fails with what is missing: a permission, space. */
export async function openJobStore(
  connection: NatsConnection,
  sleep: Clock['sleep'],
  settings: JobSettings = defaultJobSettings,
): Promise<Result<JobStore>> {
  try {
    const jsm = await jetstreamManager(connection)
    await ensureQueue(jsm, settings)
    const buckets = new Kvm(connection)
    const kept = { ttl: settings.keep, allow_direct: false }
    return ok({
      connection,
      js: jetstream(connection),
      jsm,
      routes: await buckets.create(jobNames.routes, kept),
      records: await buckets.create(jobNames.records, kept),
      leases: await buckets.create(jobNames.leases, kept),
      objects: await new Objm(connection).create(natsNames.objects, { ttl: nanos(settings.keep) }),
      ...{ settings, sleep },
      onReconnect: reconnections(connection, () =>
        // The server may have come back with an empty store.
        ensureQueue(jsm, settings).catch(() => undefined),
      ),
    })
  } catch (thrown) {
    return fail(natsFailure(thrown, 'The job queue can’t be opened at the NATS server'))
  }
}

/**
 * The answer to a request, or a rejection as soon as the connection was made again meanwhile: the answer may be lost, and
 * whether the request was carried out is not known.
 */
export function orReconnect<T>(
  { onReconnect }: Pick<JobStore, 'onReconnect'>,
  answer: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onReconnect(() => reject(new Error('the connection was lost before the answer came')))
    answer.then(resolve, reject).finally(stop)
  })
}

async function ensureQueue(jsm: JetStreamManager, settings: JobSettings): Promise<void> {
  const stream = {
    storage: StorageType.File,
    max_age: nanos(settings.keep),
    discard: DiscardPolicy.New,
    duplicate_window: nanos(Math.min(120_000, settings.keep)),
    retention: RetentionPolicy.Limits,
  }
  const streams = [
    { name: jobNames.jobs, subjects: ['troupe.work.*'], retention: RetentionPolicy.Workqueue },
    { name: jobNames.commands, subjects: ['troupe.command.*.*'], allow_direct: true },
    { name: jobNames.reports, subjects: ['troupe.report.*.*'] },
  ]
  for (const { name, ...more } of streams) {
    const found = await jsm.streams.info(name).catch(nullIf('stream not found'))
    if (found === null) await jsm.streams.add({ ...stream, allow_direct: false, ...more, name })
  }
}

function reconnections(connection: NatsConnection, prepare: () => Promise<void>): JobStore['onReconnect'] {
  const listeners = new Set<() => void>()
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type !== 'reconnect') continue
      await prepare()
      for (const listener of [...listeners]) listener()
    }
  })()
  return (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

/** A `catch` that turns the server's message into null. */
function nullIf(message: string): (thrown: unknown) => null {
  return (thrown) => {
    if (thrown instanceof Error && thrown.message === message) return null
    throw thrown
  }
}
