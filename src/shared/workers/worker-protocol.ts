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
import { requestAnswer } from '../agents/contract.ts'
import { agentEvent, permissionMode, spendLimits } from '../events/agent-event.ts'
import { formAnswer } from '../forms/form-schema.ts'
import { userBlock } from '../messages/content.ts'
import { effort, thinking } from '../models/model-choice-schema.ts'

/**
 * Raised when an older program could not understand a job, a report or a command. 2: messages are withdrawn. 3: remote
 * jobs have other subjects at the NATS server.
 */
export const WORKER_PROTOCOL = 3

/** The version of a job for a pane, whose worker may be a process of an earlier version of Troupe. */
export const PANE_PROTOCOL = 2

/** The oldest version whose remote jobs this program carries out. */
export const OLDEST_WORKER_PROTOCOL = 3

/** A name that agents can write to. */
const rosterEntry = z.object({ name: z.string(), agentId: z.string() })
export type RosterEntry = z.infer<typeof rosterEntry>

/** A git bundle in the object store. Its only ref points to `commit`. */
export const storedBundle = z.object({
  object: z.string(),
  sha256: z.string(),
  bytes: z.number().int().nonnegative(),
  commit: z.string(),
})
export type StoredBundle = z.infer<typeof storedBundle>

/** The files of a checkout at one moment. */
export const checkoutState = z.object({
  /** The tip of the branch. */
  head: z.string(),
  /** `head`, or a child of it that holds the uncommitted changes. */
  commit: z.string(),
  /** To be fetched in this order; the last one has `commit`. A reader skips those whose commit it has. */
  bundles: z.array(storedBundle),
})
export type CheckoutState = z.infer<typeof checkoutState>

/** The code that a remote job works on. */
export const jobRepository = checkoutState.extend({
  /** Tells repositories apart: the hash of the first commit. */
  id: z.string(),
  /** The address that a policy can name, without credentials; null: the repository has none. */
  url: z.string().nullable(),
  /** The branch of the agent's worktree. */
  branch: z.string(),
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
  /** The sender's epoch for this job. A queue that gives jobs to several workers assigns later ones itself. */
  epoch: z.number().int().nonnegative(),
  /** The agents that this agent can write to. `main` and `parent` are names here too. */
  roster: z.array(rosterEntry),
  teamId: z.string().nullable(),
  /** The folder of the conversation at the sender. Paths below it mean the worker's checkout. */
  folder: z.string(),
  /** The folder with the agent's large outputs at the sender. Reports name outputs there. */
  outputFolder: z.string(),
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
    /** The context that interceptors added to the message. */
    context: z.string().nullable().optional(),
    note: z.string().optional(),
    /** The same for the copies of one message to several agents. */
    broadcast: z.string().optional(),
  }),
  /** The message is no longer delivered, unless the agent has it. */
  z.object({ type: z.literal('withdraw'), messageId: z.string() }),
  z.object({ type: z.literal('pause'), paused: z.boolean() }),
  z.object({
    type: z.literal('answer'),
    requestId: z.string(),
    answer: requestAnswer,
  }),
  /** The user's answer to a form. Workers of earlier versions open no forms. */
  z.object({ type: z.literal('form-answer'), formId: z.string(), answer: formAnswer }),
  /** The user stops a command in the background. Workers of earlier versions run none. */
  z.object({ type: z.literal('stop-command'), commandId: z.string() }),
  /** The user changed one of these. They apply from the next request or tool call on. */
  z.object({
    type: z.literal('changed'),
    permissionMode,
    neverAsks: z.boolean(),
    limits: spendLimits,
    model: z.string(),
    effort: effort.default(null),
    thinking: thinking.default(null),
  }),
  /** A limit of the agent, of agents above it or of the conversation is reached: it writes its report and ends. */
  z.object({
    type: z.literal('limit'),
    jobId: z.string(),
    kind: z.enum(['turns', 'tokens', 'money', 'time']),
    of: z.enum(['agent', 'parent', 'conversation']),
    description: z.string(),
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
  /**
   * The files of a remote worker's checkout after this event, where they differ from those of the last report with
   * `work`. The next worker of the agent starts with them; at the end they return to the agent's worktree. The
   * bundles build on `job.repository.commit`.
   */
  work: checkoutState.nullable().default(null),
})
export type WorkerReport = z.infer<typeof workerReport>
