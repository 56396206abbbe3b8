/** The two kinds of logs: the transcript of an agent, and the conversation's own log. They share one format. */
import { z } from 'zod'
import {
  type AgentEvent,
  agentWorker,
  definitionSnapshot,
  eventOrigin,
  failureInfo,
  permissionMode,
  permissionSubject,
  ruleOffer,
  spendLimits,
  stopper,
  todo,
  usage,
} from '../../../shared/events/agent-event.ts'
import { type ConversationRecord, conversationRecord } from '../../../shared/events/conversation.ts'
import {
  type ConversationEvent,
  isKnownConversationEvent,
} from '../../../shared/events/conversation-event.ts'
import { conversationEvent } from '../../../shared/events/conversation-event-schema.ts'
import { type EventFailure, isKnownEvent, upcastEvent } from '../../../shared/events/upcast-event.ts'
import { agentProgram } from '../../../shared/external-agents/agent-program.ts'
import { programChoice } from '../../../shared/external-agents/program-choice.ts'
import { formContent } from '../../../shared/forms/form-schema.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { effort, thinking } from '../../../shared/models/model-choice-schema.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { answeredRequest } from '../../../shared/state/answered-request-schema.ts'
import { foldRecord } from '../../../shared/state/conversation-state.ts'
import { backingKind } from '../../../shared/teams/team-schema.ts'
import { agentWorktree, savedWork } from '../../../shared/worktrees/worktree.ts'

/** The description of a kind of log: its events `E` and the folded state `S`. */
export interface LogKind<E extends LogEvent, S extends FoldedLog> {
  /** Whether an event of this version and type can be read, judged by its head alone. */
  knows(version: unknown, type: unknown): boolean
  parse(raw: unknown): Result<E, EventFailure>
  fold(state: S | null, event: E): S | null
  readonly state: z.ZodType<S>
  /** Increase when the fold makes another state of the same events: older snapshots are then ignored. */
  readonly snapshotVersion: number
  /** A snapshot is written when it saves the next reader this many bytes. */
  readonly snapshotAfter: number
  /** Whether the log is unlikely to grow: then its file is closed. */
  isOver(state: S): boolean
}

export interface LogEvent {
  readonly seq: number
  readonly order: number
}

export interface FoldedLog {
  readonly lastSeq: number
  readonly lastOrder: number
}

const agentState: z.ZodType<AgentState> = z.object({
  id: z.string(),
  conversationId: z.string(),
  parentId: z.string().nullable(),
  parentToolUseId: z.string().nullable(),
  definition: definitionSnapshot,
  task: z.string(),
  model: z.string(),
  modelAfterTurn: z.string().nullable().default(null),
  effort,
  thinking: thinking.default(null),
  permissionMode,
  neverAsks: z.boolean(),
  cwd: z.string(),
  worktree: agentWorktree.nullable(),
  work: savedWork.nullable(),
  backing: backingKind,
  child: z.object({ sessionId: z.string(), canStop: z.boolean() }).nullable().default(null),
  teamId: z.string().nullable(),
  worker: agentWorker.nullable(),
  workerState: z.enum(['waiting', 'running', 'silent', 'gone']).nullable(),
  jobId: z.string().nullable(),
  program: agentProgram.nullable(),
  depth: z.number(),
  status: z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'stopped', 'interrupted']),
  waitingFor: z.enum(['permission', 'answer', 'message', 'children', 'limit']).nullable(),
  turn: z.number(),
  turns: z.number(),
  maxTurns: z.number(),
  name: z.string().nullable(),
  background: z.enum(['no', 'started', 'moved']),
  bubbles: z.boolean(),
  forkOf: z.string().nullable(),
  pauseWanted: z.boolean(),
  limits: spendLimits,
  runStartedAt: z.number().nullable(),
  heldAt: z.number().nullable(),
  workedMs: z.number(),
  unread: z.array(z.string()),
  received: z.array(
    z.object({
      messageId: z.string(),
      from: z.enum(['user', 'parent', 'agent', 'runtime']),
      sender: z.string().nullable(),
      text: z.string(),
      broadcast: z.string().nullable(),
      at: z.number(),
    }),
  ),
  kept: z.array(z.object({ messageId: z.string(), to: z.string(), text: z.string(), at: z.number() })),
  usage,
  context: z.object({
    prefix: z.number(),
    used: z.number().nullable(),
    window: z.number().nullable(),
  }),
  costUsd: z.number(),
  priced: z.boolean(),
  spawnedAt: z.number(),
  endedAt: z.number().nullable(),
  action: z.object({ tool: z.string(), summary: z.string(), running: z.boolean() }).nullable(),
  lastLine: z.string(),
  requests: z.array(
    z.object({
      requestId: z.string(),
      toolUseId: z.string(),
      toolName: z.string(),
      subject: permissionSubject,
      because: z.string(),
      alwaysRule: z.string().nullable(),
      ruleOffers: z.array(ruleOffer).readonly().optional(),
      choices: z.array(programChoice).readonly().optional(),
      askedAt: z.number(),
    }),
  ),
  answered: z.array(answeredRequest),
  forms: z.array(
    z.object({
      formId: z.string(),
      toolUseId: z.string(),
      toolName: z.string(),
      form: formContent,
      openedAt: z.number(),
    }),
  ),
  commands: z.array(
    z.object({
      commandId: z.string(),
      toolUseId: z.string(),
      command: z.string(),
      description: z.string(),
      startedAt: z.number(),
    }),
  ),
  retry: z
    .object({ at: z.number(), attempt: z.number(), failure: failureInfo, since: z.number() })
    .nullable(),
  limitedUntil: z.number().nullable(),
  todos: z.array(todo),
  report: z.string(),
  failure: failureInfo.nullable(),
  reachedLimit: z.enum(['turns', 'tokens', 'money', 'time']).nullable(),
  limitOf: z.enum(['agent', 'parent', 'conversation']).nullable(),
  stopId: z.string().nullable(),
  stoppedBy: stopper.nullable(),
  origin: eventOrigin.nullable(),
  lastSeq: z.number(),
  lastOrder: z.number(),
  lastAt: z.number(),
})

export const agentLogKind: LogKind<AgentEvent, AgentState> = {
  knows: isKnownEvent,
  parse: upcastEvent,
  fold: foldAgent,
  state: agentState,
  snapshotVersion: 17,
  snapshotAfter: 1024 * 1024,
  isOver: (state) => state.endedAt !== null,
}

export interface RecordState extends FoldedLog {
  readonly record: ConversationRecord
}

export const conversationLogKind: LogKind<ConversationEvent, RecordState> = {
  knows: isKnownConversationEvent,
  parse: (raw) => {
    const parsed = conversationEvent.safeParse(raw)
    if (parsed.success) return ok(parsed.data)
    return fail({ type: 'invalid-event', message: z.prettifyError(parsed.error), cause: parsed.error })
  },
  fold: (state, event) => {
    const record = foldRecord(state?.record ?? null, event)
    return record && { record, lastSeq: event.seq, lastOrder: event.order }
  },
  state: z.object({ record: conversationRecord, lastSeq: z.number(), lastOrder: z.number() }),
  // Version 1 was the record itself, in a file of the same name.
  snapshotVersion: 3,
  snapshotAfter: 32 * 1024,
  isOver: () => false,
}
