/**
 * Makes the streams, buckets and the object store that Troupe uses at a server, where they are missing. Uses nothing
 * that a server of version 2.9 would ignore: no metadata, no compression, no time limit per message.
 */
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { Objm } from '@nats-io/obj'
import { type NatsConnection, nanos } from '@nats-io/transport-node'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { natsFailure } from './nats-failure.ts'
import { natsNames } from './subjects.ts'

export interface StreamOptions {
  /** How long messages and objects are kept, in ms; if missing, 7 days for what does not exist yet. */
  readonly keep?: number
  /** Bytes of all objects together; if missing, there is no limit for what does not exist yet. */
  readonly fileBytes?: number
  /** How long a mailbox belongs to a reader that is silent, in ms; 15 s by default. */
  readonly readerLease?: number
  /** How long a heartbeat is kept, in ms; a minute by default. */
  readonly presence?: number
}

/** Messages at the server that nobody reads are at most so many bytes; then new ones wait in the senders' outboxes. */
const LARGEST_MAIL = 256 * 1024 * 1024

/** Bytes. */
const LARGEST_HEARTBEAT = 64 * 1024

const WEEK = 7 * 24 * 60 * 60 * 1000

/** Fails with what is missing at the server: a permission, space, JetStream. */
export async function ensureStreams(
  connection: NatsConnection,
  options: StreamOptions = {},
): Promise<Result<void>> {
  const { keep = WEEK, fileBytes = -1, readerLease = 15_000, presence = 60_000 } = options
  let name: string = natsNames.messages
  try {
    const manager = await jetstreamManager(connection)
    for (const stream of streams(keep)) {
      name = stream.name
      await madeByOne(() => ensureStream(manager, stream, options.keep !== undefined))
    }
    const buckets = new Kvm(connection)
    name = natsNames.readers
    await madeByOne(() => buckets.create(natsNames.readers, { ttl: readerLease }))
    name = natsNames.workers
    await madeByOne(() =>
      buckets.create(natsNames.workers, { ttl: presence, maxValueSize: LARGEST_HEARTBEAT }),
    )
    name = natsNames.objects
    await madeByOne(() =>
      new Objm(connection).create(natsNames.objects, { ttl: nanos(keep), max_bytes: fileBytes }),
    )
    const store = { name: `OBJ_${natsNames.objects}`, max_age: nanos(keep), max_bytes: fileBytes }
    await ensureStream(manager, store, options.keep !== undefined && options.fileBytes !== undefined)
    return ok(undefined)
  } catch (thrown) {
    return fail(natsFailure(thrown, `The stream ${name} can’t be made at the NATS server`))
  }
}

/** Of two programs that make the same stream at once, one fails, and finds it when it looks again. */
export function madeByOne<T>(make: () => Promise<T>): Promise<T> {
  return make().catch((thrown: unknown) => {
    if (thrown instanceof JetStreamApiError) return make()
    throw thrown
  })
}

type Stream = Pick<StreamConfig, 'name'> & Partial<StreamConfig>

function streams(keep: number): readonly Stream[] {
  const common = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    // A full stream refuses what is new; it never forgets what it has taken.
    discard: DiscardPolicy.New,
    max_age: nanos(keep),
    allow_direct: true,
  }
  return [
    {
      ...common,
      name: natsNames.messages,
      subjects: ['troupe.message.>'],
      max_bytes: LARGEST_MAIL,
      duplicate_window: nanos(Math.min(keep, 120_000)),
    },
    {
      ...common,
      name: natsNames.messageEnds,
      subjects: ['troupe.message-end.>'],
      discard: DiscardPolicy.Old,
      max_msgs_per_subject: 1,
    },
  ]
}

/** @param changes whether a stream that exists with other limits gets these */
async function ensureStream(manager: JetStreamManager, stream: Stream, changes: boolean): Promise<void> {
  const found = await manager.streams.info(stream.name).catch((thrown: unknown) => {
    if (thrown instanceof Error && thrown.message === 'stream not found') return null
    throw thrown
  })
  if (found === null) {
    await manager.streams.add({ ...stream })
    return
  }
  const { max_age = found.config.max_age, max_bytes = found.config.max_bytes } = stream
  if (changes && (found.config.max_age !== max_age || found.config.max_bytes !== max_bytes))
    // Whoever may change streams decides what is kept; others use them as they are.
    await manager.streams.update(stream.name, { max_age, max_bytes }).catch(() => undefined)
}
