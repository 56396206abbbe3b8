/**
 * What a conversation's program and a worker say to each other about one agent. A pane's worker reads and writes these
 * as files, a remote one over NATS.
 *
 * A job carries out an agent for one run. The worker imports the agent's events into a conversation of its own, runs
 * the agent, and sends each later event of that transcript back as a report. `seq` of a report counts from
 * `job.nextSeq` and continues over all jobs and epochs of the agent, so that a report that arrives twice is dropped and
 * a missing one is noticed. The report of `agent-ended` ends the job and uses no number: the next job starts with it.
 */
import { z } from 'zod'
import { agentEvent } from './agent-event.ts'
import { userBlock } from './content.ts'

/** Raised when an older program could not understand a job or a report. */
export const WORKER_PROTOCOL = 1

/** A name that agents can write to. */
export const rosterEntry = z.object({ name: z.string(), agentId: z.string() })
export type RosterEntry = z.infer<typeof rosterEntry>

/** The code that a remote job works on. Bundles are objects in the object store. */
export const jobRepository = z.object({
  /** Tells repositories apart: the hash of the first commit. */
  id: z.string(),
  /** The address that a policy can name, without credentials; null: the repository has none. */
  url: z.string().nullable(),
  /** The commit to check out, which holds the uncommitted changes too. */
  commit: z.string(),
  /** The branch of the agent's worktree; its work returns as a bundle with this branch. */
  branch: z.string(),
  /** Null: the worker's mirror is expected to have the commit. */
  bundle: z.object({ object: z.string(), sha256: z.string(), bytes: z.number() }).nullable(),
})
export type JobRepository = z.infer<typeof jobRepository>

export const workerJob = z.object({
  protocol: z.number().int(),
  jobId: z.string(),
  conversationId: z.string(),
  agentId: z.string(),
  /** The agent's transcript so far in the sender's log, from `agent-spawned` on. It ends with a message to the agent. */
  events: z.array(agentEvent),
  nextSeq: z.number().int().nonnegative(),
  /** The agents that this agent can write to. `main` and `parent` are names here too. */
  roster: z.array(rosterEntry),
  teamId: z.string().nullable(),
  /** The folder of the conversation at the sender. Paths below it mean the worker's checkout. */
  folder: z.string(),
  trusted: z.boolean(),
  /** The sender's permission rules. A worker's own policy can only narrow them. */
  rules: z.object({ allow: z.array(z.string()), deny: z.array(z.string()) }),
  /** Scripted replies: the absolute path of a scenario, or null for the survey. Missing: the worker's model. */
  rehearsal: z.object({ scenarioFile: z.string().nullable() }).optional(),
  repository: jobRepository.nullable(),
  /** On the sender's clock, ms since the epoch. */
  sentAt: z.number(),
})
export type WorkerJob = z.infer<typeof workerJob>

/** A message or an order for the agent, in the order in which they were sent. */
export const workerCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    messageId: z.string(),
    from: z.enum(['user', 'agent', 'runtime']),
    sender: z.string().nullable(),
    content: z.array(userBlock),
    note: z.string().optional(),
  }),
  z.object({ type: z.literal('pause'), paused: z.boolean() }),
  z.object({
    type: z.literal('answer'),
    requestId: z.string(),
    answer: z.discriminatedUnion('decision', [
      z.object({ decision: z.enum(['allow-once', 'allow-always']) }),
      z.object({
        decision: z.literal('deny'),
        feedback: z.string().nullable(),
        unattended: z.literal(true).optional(),
      }),
    ]),
  }),
  z.object({ type: z.literal('stop'), jobId: z.string() }),
  /** The process ends as soon as the agent has no job. */
  z.object({ type: z.literal('shutdown') }),
])
export type WorkerCommand = z.infer<typeof workerCommand>

/** One event of the agent, numbered as said above. */
export const workerReport = z.object({
  jobId: z.string(),
  epoch: z.number().int().nonnegative(),
  seq: z.number().int().nonnegative(),
  event: agentEvent,
  /** With `agent-ended`: the agent's branch with its work. Null: nothing changed, or the work is in a shared folder. */
  work: z
    .object({
      commit: z.string(),
      bundle: z.object({ object: z.string(), sha256: z.string(), bytes: z.number() }),
    })
    .nullable()
    .default(null),
})
export type WorkerReport = z.infer<typeof workerReport>
