/**
 * A conversation's record, the content of `conversations/<id>.json`, and the durable events that make it: its title,
 * limits, agents and queued messages. They are in the conversation's own log, beside the transcripts of its agents, and
 * share the agents' order.
 */
import { z } from 'zod'
import { changesUndone } from '../changes/changes.ts'
import { attemptCheck, comparison, mergedAttempt } from '../comparison/comparison-schema.ts'
import { historyOrigin } from '../histories/history-schema.ts'
import { userBlock } from '../messages/content.ts'
import { phase, phaseEntry, team, teamMember, teamTask } from '../teams/team-schema.ts'
import { verification } from '../verification/verification-schema.ts'
import { spendLimits } from './agent-event.ts'

/** A text that goes to the agent with a message of the user: mentioned files, the output of a command of the user. */
const attachedText = z.object({
  text: z.string(),
  /** What the transcript shows. */
  note: z.string(),
  /** The user's command whose output it is. */
  commandId: z.string().optional(),
})
export type AttachedText = z.infer<typeof attachedText>

/** A message that no agent has read yet. Stored on disk, so that a restart delivers it. */
const queuedMessage = z.object({
  messageId: z.string(),
  agentId: z.string(),
  content: z.array(userBlock),
  from: z.enum(['user', 'agent', 'runtime']).default('user'),
  /** The agent that wrote the message, or the agent whose end it reports. */
  sender: z.string().nullable().default(null),
  /** The context that interceptors added to the message, for the agent. */
  context: z.string().nullable().optional(),
  /** What goes to the agent with the message. */
  attached: z.array(attachedText).optional(),
  /** From `runtime`: the text that the transcript shows to the user. */
  note: z.string().optional(),
  /** The same for the copies of one message to several agents; missing: it has one receiver. */
  broadcast: z.string().optional(),
  /** The command that the user typed; `content` is its text. */
  typed: z.string().optional(),
})
export type QueuedMessage = z.infer<typeof queuedMessage>

/** A copy of a message to several agents that could not be sent. `reason`: a sentence for the user. */
const refusal = z.object({ broadcast: z.string(), agentId: z.string(), reason: z.string() })
export type RefusedCopy = z.infer<typeof refusal>

/** How the main agent's last run ended. `limit`: it reported at a limit, before its task was done. */
const runOutcome = z.enum(['done', 'failed', 'stopped', 'limit'])
export type RunOutcome = z.infer<typeof runOutcome>

/** What a conversation's agents came to, for lists, which read no transcripts. */
const conversationTotals = z.object({
  /** All agents, the main agent among them. */
  agents: z.number().int(),
  /** The colors of the first subagents, in spawn order. */
  colors: z.array(z.string()),
  /** As limits count them. */
  tokens: z.number(),
  /** US dollars, for the turns on models with a known price. */
  usd: z.number(),
  /** False if an agent used a model without a known price. */
  priced: z.boolean(),
  /** Lines of files. */
  added: z.number(),
  removed: z.number(),
  /** The last line that the main agent wrote. */
  lastLine: z.string(),
  /** The branch of the folder when the main agent was started; missing: none, or unknown. */
  branch: z.string().optional(),
})
export type ConversationTotals = Readonly<z.infer<typeof conversationTotals>>

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
  /** Set for an attempt at a test case: a scratch conversation that is kept. */
  test: z.literal(true).optional(),
  queued: z.array(queuedMessage).default([]),
  /** The limits of all agents together; null: the settings' limits. */
  limits: spendLimits.nullable().default(null),
  /** The conversation whose history this one began with; missing: it began anew. */
  branchOf: z.string().optional(),
  /** Another program wrote the conversation: it can be read, not continued. Missing: it is Troupe's own. */
  history: historyOrigin.optional(),
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
  /** The copies of messages to several agents that their receivers did not get, oldest first. */
  refusals: z.array(refusal).default([]),
  /** Whether lists show it first. */
  pinned: z.boolean().default(false),
  /** Whether lists hide it until the user looks for it. */
  archived: z.boolean().default(false),
  /** Null: no run has ended. Missing: the log is older than outcomes. `at`: ms since the epoch. */
  outcome: z.object({ kind: runOutcome, at: z.number() }).nullable().optional(),
  /** Set if it came from a file: it can be read, and not continued, because its rights come from another machine. */
  imported: z.literal(true).optional(),
  /** When the main agent's last run ended. Missing: no run has ended, or the log is older than totals. */
  totals: conversationTotals.optional(),
})
export type ConversationRecord = z.infer<typeof conversationRecord>

const base = {
  v: z.literal(1),
  conversationId: z.string(),
  /** 0, 1, 2 … without gaps, in this log. */
  seq: z.number().int().nonnegative(),
  /** Increases over the conversation and all its agents. */
  order: z.number().int().nonnegative(),
  /** Milliseconds since the epoch. */
  at: z.number(),
}

const event = <const T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...base, type: z.literal(type), ...shape })

export const conversationEvent = z.discriminatedUnion('type', [
  /**
   * Always the first event. An earlier version kept a record without a log; this event then has the record's fields
   * and its agents.
   */
  event('conversation-created', conversationRecord.omit({ v: true, id: true, queued: true }).shape),
  event('conversation-titled', {
    title: z.string(),
    /** True if the user chose the title. */
    named: z.boolean(),
  }),
  /** The user pinned or archived it, or took that back. */
  event('conversation-marked', { pinned: z.boolean(), archived: z.boolean() }),
  /** The limits of all agents together; null: the settings' limits. */
  event('conversation-limited', { limits: conversationRecord.shape.limits.unwrap() }),
  /** The main agent's run ended. */
  event('conversation-settled', { outcome: runOutcome, totals: conversationTotals.optional() }),
  /** Logged before the agent's first event. Transcripts are found by this name only. */
  event('agent-added', { agentId: z.string() }),
  event('message-queued', { message: queuedMessage }),
  /** The message was withdrawn or no longer applies. No agent receives it. */
  event('message-withdrawn', { messageIds: z.array(z.string()) }),
  /** Another agent receives these messages. */
  event('message-redirected', { messageIds: z.array(z.string()), agentId: z.string() }),
  /** These messages are in a transcript on disk. */
  event('message-delivered', { messageIds: z.array(z.string()) }),
  /** The agent does not get its copy of a message to several agents. */
  event('message-refused', refusal.shape),
  event('team-created', { team }),
  event('team-member-added', { teamId: z.string(), member: teamMember }),
  /** The member left the team: it agreed to, or was ended. Its transcript stays. */
  event('team-member-removed', { teamId: z.string(), name: z.string() }),
  /** The members are asked to finish. The team ends with its last member. */
  event('team-ending', { teamId: z.string() }),
  /** `forced`: its members were stopped. */
  event('team-ended', { teamId: z.string(), forced: z.boolean() }),
  /** The whole task after the change: created, claimed, completed, … Older versions of a task are ignored. */
  event('task-changed', { task: teamTask }),
  /** The coordinator begins a phase. */
  event('phase-changed', { phase, note: z.string() }),
  /** A verification was offered, declined or started. The whole verification after the change. */
  event('verification-changed', { verification }),
  /** The user undid changes of agents, or redid them. */
  event('changes-undone', changesUndone),
  /** The user gave one task to several agents, which are in the log already. */
  event('comparison-started', { comparison }),
  /** The check of an attempt began or ended. */
  event('comparison-checked', { comparisonId: z.string(), agentId: z.string(), check: attemptCheck }),
  /** An attempt was merged; null: the last merge was undone. */
  event('comparison-merged', { comparisonId: z.string(), merged: mergedAttempt.nullable() }),
  /** The verifier ended. `agentId`: the verifier; `digest`: the state of the files that it tested. */
  event('work-verified', {
    ...verification.pick({ id: true, owner: true, digest: true, base: true, summary: true, evidence: true })
      .shape,
    startedBy: verification.shape.startedBy.unwrap(),
    agentId: z.string(),
    verdict: verification.shape.verdict.unwrap(),
  }),
])
