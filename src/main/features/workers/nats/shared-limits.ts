/**
 * Rate limits that programs with the same key share through NATS: a refusal of one slows all. An entry's name is a
 * digest of the key, never the key, and its time is the server's, because the clocks of the programs differ.
 */

import { createHash } from 'node:crypto'
import { type KV, Kvm } from '@nats-io/kv'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../shared/kernel/json.ts'
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { Clock, SharedLimits } from '../../../runtime/ports/ports.ts'
import { clockOffset } from './check-clock.ts'
import type { NatsLink } from './connect-nats.ts'
import { madeByOne } from './ensure-streams.ts'
import { natsFailure } from './nats-failure.ts'
import type { NatsSession } from './nats-session.ts'
import { natsNames } from './subjects.ts'
import { openWatch } from './waits.ts'

/** A later end is not believed: ms from now. */
const LONGEST = 24 * 60 * 60 * 1000

const limitEntry = z.object({
  /** On the server's clock, ms since the epoch. */
  until: z.number(),
  /** The program that was refused. */
  from: z.string(),
})

interface SharedLimitsOptions {
  readonly session: NatsSession
  readonly clock: Pick<Clock, 'now'>
  /** Tells this program from others. */
  readonly self: string
  /** The access of this program now. */
  readonly access: () => ModelAccess
  readonly onProblem: (message: string) => void
}

/** Without a connection a limit applies to this program only. */
export function createSharedLimits(options: SharedLimitsOptions): SharedLimits & { close(): void } {
  const { session, clock, self, access, onProblem } = options
  const listeners = new Set<(until: number) => void>()
  /** By digest: the end of the limit that others were told, on this machine's clock. */
  const known = new Map<string, number>()
  /** The same for what this program was told. */
  const own = new Map<string, number>()
  const ended = new AbortController()
  let offset = 0

  const tell = (digest: string) => {
    const until = known.get(digest) ?? 0
    if (digest !== digestOf(access()) || until <= clock.now()) return
    for (const listener of listeners) listener(until)
  }
  /** Null: there was no connection yet. */
  let open: { readonly bucket: KV; readonly link: NatsLink } | null = null
  const put = async ({ bucket }: { readonly bucket: KV }, digest: string) => {
    const until = own.get(digest) ?? 0
    if (until > clock.now()) await bucket.put(digest, JSON.stringify({ until: until + offset, from: self }))
  }
  const follow = async (link: NatsLink) => {
    const generation = link.generation()
    const compared = await clockOffset(link.connection, clock.now)
    offset = compared.ok ? compared.value : 0
    const options = { ttl: LONGEST, maxValueSize: 1024 }
    const bucket = await madeByOne(() => new Kvm(link.connection).create(natsNames.limits, options))
    open = { bucket, link }
    for (const digest of own.keys()) await put(open, digest)
    const entries = await openWatch(link.connection, bucket)
    const stop = () => entries.stop()
    ended.signal.addEventListener('abort', stop)
    if (ended.signal.aborted) stop()
    for await (const entry of entries) {
      if (ended.signal.aborted || link.generation() !== generation) break
      const read = limitEntry.safeParse(entry.operation === 'PUT' ? jsonOrUndefined(entry.string()) : null)
      if (!read.success || read.data.from === self) continue
      known.set(entry.key, Math.min(read.data.until - offset, clock.now() + LONGEST))
      tell(entry.key)
    }
    ended.signal.removeEventListener('abort', stop)
  }
  let problem = ''
  const failed = (link: NatsLink) => (thrown: unknown) => {
    // The session reports a connection that is gone.
    if (ended.signal.aborted || session.link() !== link) return
    const { message } = natsFailure(thrown, 'Rate limits can’t be shared with other workers')
    if (message !== problem) onProblem(message)
    problem = message
  }
  const stopReady = session.whenReady((link) => void follow(link).catch(failed(link)))

  return {
    publish(until) {
      const digest = digestOf(access())
      if (digest === null || until <= (own.get(digest) ?? 0)) return
      own.set(digest, until)
      // Without a connection, the next one publishes it.
      if (open !== null && session.link() === open.link) void put(open, digest).catch(failed(open.link))
    },
    subscribe(listener) {
      listeners.add(listener)
      const until = known.get(digestOf(access()) ?? '') ?? 0
      if (until > clock.now()) listener(until)
      return () => listeners.delete(listener)
    },
    keyChanged() {
      const digest = digestOf(access())
      if (digest !== null) tell(digest)
    },
    close() {
      ended.abort()
      stopReady()
      listeners.clear()
    },
  }
}

/** Null: there is no key. */
function digestOf(access: ModelAccess): string | null {
  if (access.kind !== 'api') return null
  const secret = access.key ?? access.authToken
  if (!secret) return null
  return createHash('sha256').update(`troupe-limits\n${access.baseUrl}\n${secret}`).digest('hex').slice(0, 32)
}
