/** Sessions that stay open after a run of their agent, so that the next message to it continues them. */
import type { Clock } from '../../../runtime/ports/ports.ts'
import type { ProcessHold } from './connection-pool.ts'
import type { ExternalSession } from './external-session.ts'

export interface HeldSession {
  readonly session: ExternalSession
  readonly lease: ProcessHold
}

interface KeepTimes {
  /** ms that a session is kept whose program can continue it in another process. */
  readonly resumable: number
  /** The same for a program that can't: the session would be lost. */
  readonly other: number
}

/** ms that a program has to close a session. */
const CLOSE_TIME = 5000

export class HeldSessions {
  private readonly clock: Clock
  private readonly keep: KeepTimes
  private readonly held = new Map<string, HeldSession & { readonly taken: AbortController }>()

  constructor(clock: Clock, keep: KeepTimes) {
    this.clock = clock
    this.keep = keep
  }

  /** Keeps the session of an agent for a while, then closes it. */
  put(agentId: string, held: HeldSession): void {
    const { session, lease } = held
    const { can, isStale } = session.connection
    const ms = can.resume || can.load ? this.keep.resumable : this.keep.other
    session.serve(null)
    if (ms === 0 || isStale) {
      void closeSession(held, this.clock)
      return
    }
    const taken = new AbortController()
    this.held.set(agentId, { ...held, taken })
    const over = () => {
      if (taken.signal.aborted) return false
      taken.abort()
      return this.held.delete(agentId)
    }
    void lease.process.ended.then(() => {
      if (over()) lease.release()
    })
    void this.clock.sleep(ms, taken.signal).then(() => {
      if (over()) void closeSession(held, this.clock)
    })
  }

  peek(agentId: string): ExternalSession | null {
    return this.held.get(agentId)?.session ?? null
  }

  /** Null: none is held. */
  take(agentId: string): HeldSession | null {
    const held = this.held.get(agentId)
    if (held === undefined) return null
    this.held.delete(agentId)
    held.taken.abort()
    return held
  }

  /** Closes those on a process that takes no more sessions, where another process can continue them. */
  dropStale(): void {
    for (const [agentId, { session }] of this.held) {
      const { isStale, can } = session.connection
      if (!isStale || !(can.resume || can.load)) continue
      const held = this.take(agentId)
      if (held !== null) void closeSession(held, this.clock)
    }
  }

  /** Forgets all: their processes end. */
  close(): void {
    for (const { taken } of this.held.values()) taken.abort()
    this.held.clear()
  }
}

/**
 * The session does not react. Alone in its process, the process ends. Otherwise the other sessions go on: the process
 * takes no new ones, unless it answers in time that it closed this one.
 */
export async function abandonSession(
  { session, lease }: HeldSession,
  { clock, limit, held }: { readonly clock: Clock; readonly limit: number; readonly held: HeldSessions },
): Promise<void> {
  const { connection } = session
  connection.isStale = true
  if (!lease.isShared) {
    lease.release()
    await lease.process.end()
    return
  }
  const waited = new AbortController()
  const silence = Promise.race([
    clock.sleep(limit, waited.signal).then(() => false),
    lease.process.ended.then(() => false),
  ])
  const closed = session.close().then(() => connection.can.close)
  if (await Promise.race([closed, silence])) connection.isStale = false
  else held.dropStale()
  waited.abort()
  lease.release()
}

/** A process that does not answer in time takes no more sessions, so that it ends with its last one. */
async function closeSession({ session, lease }: HeldSession, clock: Clock): Promise<void> {
  const answered = new AbortController()
  const late = clock.sleep(CLOSE_TIME, answered.signal).then(() => {
    if (!answered.signal.aborted) session.connection.isStale = true
  })
  await Promise.race([session.close(), lease.process.ended, late])
  answered.abort()
  lease.release()
}
