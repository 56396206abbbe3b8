/** The workers that a program knows: their last heartbeats, and the connection to NATS. Never written to a log. */
import { z } from 'zod'

/** A worker's own description of itself, sent with each heartbeat. */
export const workerFacts = z.object({
  /** `w-…`; new for each process. */
  workerId: z.string(),
  kind: z.enum(['pane', 'remote']),
  host: z.string(),
  pid: z.number().int(),
  cores: z.number().int(),
  platform: z.string(),
  /** The version of the program, and of the protocol between programs. */
  version: z.string(),
  protocol: z.number().int(),
  /** The oldest version of the protocol that it understands; missing: only `protocol`. */
  oldestProtocol: z.number().int().optional(),
  /** The tmux pane that shows the worker: `pay:2.1`; null: none. */
  tmux: z.string().nullable(),
  /** Models that its key can use; empty: unknown. */
  models: z.array(z.string()),
  /** The model providers in its settings, by name; missing: none. */
  providers: z.array(z.string()).optional(),
  /** Models that its policy allows, with `*` for any text; missing: all. */
  allowedModels: z.array(z.string()).optional(),
  /** Its built-in tools; empty: unknown. */
  tools: z.array(z.string()),
  /** Repositories that its policy allows, as in `worker-policy.json`; missing: all. */
  repositories: z.array(z.string()).optional(),
  /** Whether its policy allows jobs without a repository; missing: yes. */
  withoutRepository: z.boolean().optional(),
})
export type WorkerFacts = z.infer<typeof workerFacts>

export const workerHeartbeat = workerFacts.extend({
  /** The agents that it carries out now. */
  agentIds: z.array(z.string()),
  /** The load of its machine per core: 0 idle, 1 busy. */
  load: z.number(),
  /** The time on its own clock, ms since the epoch. */
  at: z.number(),
  /** Why it takes no jobs now: "the disk is full"; null: it takes jobs. */
  problem: z.string().nullable(),
})
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
