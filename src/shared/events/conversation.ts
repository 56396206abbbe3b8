/** A conversation's record: the content of `conversations/<id>.json`. */
import { z } from 'zod'
import { comparison } from '../comparison/comparison-schema.ts'
import { userBlock } from '../messages/content.ts'
import { phaseEntry, team, teamTask } from '../teams/team-schema.ts'
import { verification } from '../verification/verification-schema.ts'
import { spendLimits } from './agent-event.ts'

/** A message that no agent has read yet. Stored on disk, so that a restart delivers it. */
export const queuedMessage = z.object({
  messageId: z.string(),
  agentId: z.string(),
  content: z.array(userBlock),
  from: z.enum(['user', 'agent', 'runtime']).default('user'),
  /** The agent that wrote the message, or the agent whose end it reports. */
  sender: z.string().nullable().default(null),
  /** The context that interceptors added to the message, for the agent. */
  context: z.string().nullable().optional(),
  /** From `runtime`: the text that the transcript shows to the user. */
  note: z.string().optional(),
  /** The same for the copies of one message to several agents; missing: it has one receiver. */
  broadcast: z.string().optional(),
  /** The command that the user typed; `content` is its text. */
  typed: z.string().optional(),
})
export type QueuedMessage = z.infer<typeof queuedMessage>

/** How the main agent's last run ended. `limit`: it reported at a limit, before its task was done. */
export const runOutcome = z.enum(['done', 'failed', 'stopped', 'limit'])
export type RunOutcome = z.infer<typeof runOutcome>

export const conversationRecord = z.object({
  v: z.literal(1),
  id: z.string(),
  /** The folder of the conversation, absolute. */
  folder: z.string(),
  title: z.string(),
  /** True once the user named the conversation. Until then the first message sets the title. */
  named: z.boolean(),
  mainAgentId: z.string(),
  /** All agents of the conversation in spawn order, the main agent first. */
  agentIds: z.array(z.string()),
  /** ms since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  /** True if the replies came from Rehearsal. */
  rehearsal: z.boolean(),
  /** True for a scratch conversation. */
  scratch: z.boolean().default(false),
  queued: z.array(queuedMessage).default([]),
  /** The limits of all agents together; null: the settings' limits. */
  limits: spendLimits.nullable().default(null),
  /** The conversation whose history this one began with; missing: it began anew. */
  branchOf: z.string().optional(),
  /** Whether the main agent only coordinates: it has the coordinator's prompt and tools. */
  coordinator: z.boolean().default(false),
  /** In the order in which they were created; ended teams stay. */
  teams: z.array(team).default([]),
  /** The task list, in the order of the ids. */
  tasks: z.array(teamTask).default([]),
  /** The phases that the coordinator has begun, in order; a phase may begin again. */
  phases: z.array(phaseEntry).default([]),
  /** The verifications of changed files, in the order in which they were offered or started. */
  verifications: z.array(verification).default([]),
  /** The tasks that the user gave to several agents, in the order of their start. */
  comparisons: z.array(comparison).default([]),
  /** Null: no run has ended. Missing: the log is older than outcomes. `at`: ms since the epoch. */
  outcome: z.object({ kind: runOutcome, at: z.number() }).nullable().optional(),
})
export type ConversationRecord = z.infer<typeof conversationRecord>
