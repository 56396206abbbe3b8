/** The streams and buckets of the job queue at a NATS server. Uses only what a server of version 2.9 has. */
import {
  AckPolicy,
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
import { jobNames, jobSubject } from './job-names.ts'

export interface JobSettings {
  /** How long the server waits for a worker's heartbeat before it gives the job to another one, in ms. */
  readonly ackWait: number
  /** How long a lease holds without being renewed, in ms. Less than `ackWait`. */
  readonly leaseTtl: number
  /** How long a job that nobody can take now is put aside, in ms. */
  readonly retryWait: number
  /** Workers that may fail at a job. */
  readonly maxAttempts: number
  /** How long reports and the records of jobs are kept, in ms. */
  readonly keep: number
}

export const defaultJobSettings: JobSettings = {
  ackWait: 20_000,
  leaseTtl: 15_000,
  retryWait: 2000,
  maxAttempts: 5,
  keep: 7 * 24 * 60 * 60 * 1000,
}

export interface JobStore {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly jsm: JetStreamManager
  readonly records: KV
  readonly leases: KV
  readonly objects: ObjectStore
  readonly settings: JobSettings
  /** Waits before something is tried again, as the `Clock` port does. */
  readonly sleep: Clock['sleep']
  /** Calls the listener after each reconnection, until the returned function is called. */
  onReconnect(listener: () => void): () => void
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
    return ok({
      connection,
      js: jetstream(connection),
      jsm,
      records: await buckets.create(jobNames.records, { ttl: settings.keep, allow_direct: false }),
      leases: await buckets.create(jobNames.leases, { ttl: settings.keep, allow_direct: false }),
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

async function ensureQueue(jsm: JetStreamManager, settings: JobSettings): Promise<void> {
  const stream = {
    storage: StorageType.File,
    max_age: nanos(settings.keep),
    discard: DiscardPolicy.New,
    duplicate_window: nanos(Math.min(120_000, settings.keep)),
    allow_direct: false,
  }
  const queue = { ...stream, retention: RetentionPolicy.Workqueue }
  await ensureStream(jsm, { ...queue, name: jobNames.jobs, subjects: [jobSubject] })
  await ensureStream(jsm, { ...queue, name: jobNames.commands, subjects: ['troupe.command.*'] })
  await ensureStream(jsm, {
    ...stream,
    retention: RetentionPolicy.Limits,
    name: jobNames.reports,
    subjects: ['troupe.report.*'],
  })
  await ensureWorkers(jsm, settings)
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

async function ensureStream(
  jsm: JetStreamManager,
  stream: Parameters<JetStreamManager['streams']['add']>[0],
): Promise<void> {
  const found = await jsm.streams.info(stream.name).catch(nullIf('stream not found'))
  if (found === null) await jsm.streams.add(stream)
}

async function ensureWorkers(jsm: JetStreamManager, settings: JobSettings): Promise<void> {
  const found = await jsm.consumers.info(jobNames.jobs, jobNames.workers).catch(nullIf('consumer not found'))
  if (found !== null && found.config.ack_wait === nanos(settings.ackWait)) return
  const added = jsm.consumers.add(jobNames.jobs, {
    durable_name: jobNames.workers,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(settings.ackWait),
    // The job's record counts the attempts: putting a job aside is not one.
    max_deliver: -1,
    max_ack_pending: -1,
  })
  await added.catch((thrown: unknown) => {
    // The permissions of a sender do not let it take jobs: the first worker makes this.
    if (natsFailure(thrown, '').type !== 'denied') throw thrown
  })
}

/** A `catch` that turns the server's message into null. */
function nullIf(message: string): (thrown: unknown) => null {
  return (thrown) => {
    if (thrown instanceof Error && thrown.message === message) return null
    throw thrown
  }
}
