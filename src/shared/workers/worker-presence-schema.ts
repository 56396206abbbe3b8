/** The heartbeats of workers, as programs send them to each other. */
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
