/**
 * The right of one worker to carry out an agent. Its holder renews it; a holder that can't do so in time stops by
 * itself. Another worker takes the lease over only at the revision that it has seen unchanged for the whole time, so
 * that no clocks are compared: the server's order of the writes decides.
 */
import type { KV } from '@nats-io/kv'
import { z } from 'zod'
import { jsonOrUndefined } from '../../../../../shared/kernel/json.ts'
import type { Clock } from '../../../../runtime/ports/ports.ts'
import { natsFailure } from '../nats-failure.ts'
import { type JobAddress, leaseKey } from './job-names.ts'
import { isConflict } from './job-record.ts'
import { type JobStore, orReconnect } from './job-store.ts'

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

interface LeaseOptions {
  readonly leases: KV
  readonly workerId: string
  /** ms */
  readonly ttl: number
  /** A clock that only moves forward, in ms. */
  readonly elapsed: () => number
  readonly sleep: Clock['sleep']
  readonly onReconnect: JobStore['onReconnect']
  /** Called with why the lease can't be renewed, and with null each time that it was. */
  readonly onTrouble: (problem: string | null) => void
}

/** The agent to be carried out. */
interface WantedLease extends JobAddress {
  readonly jobId: string
  /** The lowest epoch that the sender accepts. */
  readonly epoch: number
}

/**
 * Takes the lease of an agent. One that another worker holds is looked at until it is free, or was not renewed for the
 * whole time. Null: its holder has renewed it, so that another worker carries out the agent. Throws errors of NATS.
 */
export async function takeLease(
  wanted: WantedLease,
  options: LeaseOptions,
  signal: AbortSignal,
): Promise<Lease | null> {
  const { leases, workerId, ttl, elapsed, sleep } = options
  const key = leaseKey(wanted)
  let found: { readonly entry: LeaseEntry | null; readonly revision: number } = { entry: null, revision: 0 }
  let seenAt = elapsed()
  while (!signal.aborted) {
    const { entry, revision } = found
    const isHeld = entry !== null && entry.jobId !== null
    if (isHeld && elapsed() - seenAt < ttl) await sleep(ttl / 5, signal)
    else {
      const { jobId } = wanted
      const taken = { epoch: Math.max(wanted.epoch, (entry?.epoch ?? -1) + 1), workerId, jobId }
      const startedAt = elapsed()
      try {
        const text = JSON.stringify(taken)
        const next =
          revision === 0 ? await leases.create(key, text) : await leases.update(key, text, revision)
        return hold({ ...options, key, taken, revision: next, startedAt })
      } catch (thrown) {
        if (!isConflict(thrown)) throw thrown
      }
    }
    const next = await readLease(leases, key)
    if (next.revision === revision) continue
    const isRenewed = isHeld && next.entry?.epoch === entry.epoch && next.entry.jobId === entry.jobId
    if (isRenewed) return null
    found = next
    seenAt = elapsed()
  }
  return null
}

async function readLease(leases: KV, key: string) {
  const found = await leases.get(key)
  const parsed = leaseEntry.safeParse(found?.operation === 'PUT' ? jsonOrUndefined(found.string()) : null)
  return { entry: parsed.success ? parsed.data : null, revision: found?.revision ?? 0 }
}

interface Held extends Omit<LeaseOptions, 'workerId'> {
  readonly key: string
  readonly taken: LeaseEntry
  readonly revision: number
  readonly startedAt: number
}

function hold({ leases, key, taken, ttl, startedAt, elapsed, sleep, ...more }: Held): Lease {
  const end = new AbortController()
  const closed = new AbortController()
  const over = AbortSignal.any([end.signal, closed.signal])
  const text = JSON.stringify(taken)
  let revision = more.revision
  let expiresAt = startedAt + ttl
  let renewing: Promise<boolean> | null = null
  /** Aborts when the lease is to be renewed at once. */
  let hurry = new AbortController()
  const stopWaiting = more.onReconnect(() => hurry.abort())

  function lose(): void {
    close()
    end.abort()
  }
  function close(): void {
    closed.abort()
    stopWaiting()
  }
  async function renew(): Promise<boolean> {
    const at = elapsed()
    try {
      revision = await orReconnect(more, leases.update(key, text, revision))
      expiresAt = at + ttl
      more.onTrouble(null)
      return true
    } catch (thrown) {
      more.onTrouble(natsFailure(thrown, 'The lease can’t be renewed').message)
      if (!isConflict(thrown)) return false
      // Without an answer the write may have happened: the bucket says whether the lease is still this one.
      const found = await leases.get(key).catch(() => undefined)
      if (found === undefined) return false
      if (found?.string() === text) revision = found.revision
      else lose()
      return false
    }
  }
  async function keep(): Promise<void> {
    for (let wait = ttl / RENEWALS; ; ) {
      await sleep(wait, AbortSignal.any([over, hurry.signal]))
      if (over.aborted) return
      if (hurry.signal.aborted) hurry = new AbortController()
      renewing = renew()
      wait = (await renewing) ? ttl / RENEWALS : ttl / RENEWALS / 4
    }
  }
  async function expire(): Promise<void> {
    for (let left = ttl; left > 0 && !over.aborted; left = expiresAt - elapsed()) await sleep(left, over)
    if (!over.aborted) lose()
  }
  void keep()
  void expire()

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

/** Renewals in the time of a lease: several may fail while a server is started again. */
const RENEWALS = 5
