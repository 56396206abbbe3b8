/**
 * The right of one worker to carry out an agent. Its holder renews it; a holder that can't do so in time stops by
 * itself. Another worker takes the lease over only at the revision that it has seen unchanged for the whole time, so
 * that no clocks are compared: the server's order of the writes decides.
 */
import type { KV } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import { openWatch } from '../open-watch.ts'
import { tokenOf } from '../subjects.ts'
import { isConflict } from './job-record.ts'

const leaseEntry = z.object({
  epoch: z.number().int(),
  workerId: z.string(),
  /** Null: nobody carries out the agent. */
  jobId: z.string().nullable(),
})
type LeaseEntry = z.infer<typeof leaseEntry>

export interface Lease {
  readonly epoch: number
  /** Aborts when the lease was not renewed in time, or another worker has it. */
  readonly lost: AbortSignal
  /** Whether the server still has this lease. Throws errors of NATS. */
  isHeld(): Promise<boolean>
  /** Frees the agent for the next job at once. */
  release(): Promise<void>
}

export interface LeaseBoard {
  /** Null: another worker carries out the agent. Throws errors of NATS. */
  take(wanted: {
    readonly agentId: string
    readonly jobId: string
    /** The lowest epoch that the sender accepts. */
    readonly epoch: number
  }): Promise<Lease | null>
  close(): void
}

interface BoardOptions {
  readonly connection: NatsConnection
  readonly leases: KV
  readonly workerId: string
  /** ms */
  readonly ttl: number
  /** A clock that only moves forward, in ms. */
  readonly elapsed: () => number
}

export function createLeaseBoard({ connection, leases, workerId, ttl, elapsed }: BoardOptions): LeaseBoard {
  /** When this program first saw the newest revision of each agent's lease. */
  const seen = new Map<string, { readonly revision: number; readonly at: number }>()

  const note = (key: string, revision: number) => {
    if (seen.get(key)?.revision !== revision) seen.set(key, { revision, at: elapsed() })
  }
  const watching = openWatch(connection, leases)
  void watching
    .then(async (entries) => {
      for await (const { key, revision } of entries) note(key, revision)
    })
    // Without it a lease is observed from the first time that its agent's job arrives.
    .catch(() => undefined)

  async function read(key: string): Promise<{ entry: LeaseEntry | null; revision: number }> {
    const found = await leases.get(key)
    const revision = found?.revision ?? 0
    note(key, revision)
    const parsed = leaseEntry.safeParse(found?.operation === 'PUT' ? jsonOrUndefined(found.string()) : null)
    return { entry: parsed.success ? parsed.data : null, revision }
  }

  return {
    async take({ agentId, jobId, epoch: lowest }) {
      const key = tokenOf(agentId)
      const { entry, revision } = await read(key)
      const isHeld = entry !== null && entry.jobId !== null
      if (isHeld && elapsed() - (seen.get(key)?.at ?? 0) < ttl) return null
      const taken: LeaseEntry = { epoch: Math.max(lowest, (entry?.epoch ?? -1) + 1), workerId, jobId }
      const startedAt = elapsed()
      try {
        const text = JSON.stringify(taken)
        const next =
          revision === 0 ? await leases.create(key, text) : await leases.update(key, text, revision)
        return hold({ leases, key, taken, revision: next, ttl, startedAt, elapsed })
      } catch (thrown) {
        if (isConflict(thrown)) return null
        throw thrown
      }
    },
    close: () => void watching.then((entries) => entries.stop()).catch(() => undefined),
  }
}

interface Held {
  readonly leases: KV
  readonly key: string
  readonly taken: LeaseEntry
  readonly revision: number
  readonly ttl: number
  readonly startedAt: number
  readonly elapsed: () => number
}

function hold({ leases, key, taken, ttl, startedAt, elapsed, ...first }: Held): Lease {
  const end = new AbortController()
  const text = JSON.stringify(taken)
  let revision = first.revision
  let renewing: Promise<void> | null = null
  let expiry = expireAt(startedAt)

  function expireAt(renewedAt: number): NodeJS.Timeout {
    return setTimeout(lose, Math.max(0, renewedAt + ttl - elapsed()))
  }
  function lose(): void {
    close()
    end.abort()
  }
  function close(): void {
    clearInterval(timer)
    clearTimeout(expiry)
  }
  async function renew(): Promise<void> {
    const at = elapsed()
    try {
      revision = await leases.update(key, text, revision)
    } catch (thrown) {
      // Without an answer the write may have happened: the bucket says whether the lease is still this one.
      if (!isConflict(thrown)) return
      const found = await leases.get(key).catch(() => undefined)
      if (found === undefined) return
      if (found?.string() !== text) return lose()
      revision = found.revision
    }
    if (end.signal.aborted) return
    clearTimeout(expiry)
    expiry = expireAt(at)
  }
  const timer = setInterval(() => {
    renewing ??= renew().finally(() => {
      renewing = null
    })
  }, ttl / 3)

  return {
    epoch: taken.epoch,
    lost: end.signal,
    isHeld: async () => (await leases.get(key))?.string() === text,
    async release() {
      close()
      await renewing
      if (end.signal.aborted) return
      await leases.update(key, JSON.stringify({ ...taken, jobId: null }), revision).catch(() => undefined)
    },
  }
}
