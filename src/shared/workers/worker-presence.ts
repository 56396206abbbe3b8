/** The workers that a program knows: their last heartbeats, and the connection to NATS. Never written to a log. */
import type { z } from 'zod'
import type { workerFacts, workerHeartbeat } from './worker-presence-schema.ts'

export type WorkerFacts = z.infer<typeof workerFacts>
export type WorkerHeartbeat = z.infer<typeof workerHeartbeat>

export interface WorkerPresence extends WorkerHeartbeat {
  /** When its last heartbeat arrived, on this machine's clock, ms since the epoch. */
  readonly lastSeenAt: number
}

/** The connection to NATS, as the window shows it. */
export type NatsState =
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting'; readonly url: string }
  | { readonly kind: 'connected'; readonly url: string; readonly tls: boolean }
  /** `message`: what happened, its effect, and what to do. It is tried again. */
  | { readonly kind: 'failed'; readonly url: string; readonly message: string }

/** The address of a NATS server, and the absolute paths of the credentials and the authority's certificate; empty: none. */
export interface NatsAccess {
  readonly url: string
  readonly credentials: string
  readonly ca: string
}

/** What a look at a server or a machine for remote work found. */
export interface NatsFinding {
  /** What was looked at: `server`. */
  readonly what: string
  /** `failed`: jobs can't be exchanged. `warning`: some can't. */
  readonly outcome: 'ok' | 'warning' | 'failed'
  /** What was found, and what to do about a problem. */
  readonly text: string
}

export interface WorkersState {
  readonly nats: NatsState
  readonly workers: readonly WorkerPresence[]
  /** Jobs and messages that are kept on this disk until NATS takes them. */
  readonly outbox: number
}

/** Where a program learns of workers. */
export interface Workers {
  state(): WorkersState
  /** Calls back with each change until the returned function is called. */
  subscribe(listener: (state: WorkersState) => void): () => void
}

export const noWorkers: WorkersState = { nats: { kind: 'off' }, workers: [], outbox: 0 }
