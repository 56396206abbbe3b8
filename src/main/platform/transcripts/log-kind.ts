/** The two kinds of logs: the transcript of an agent, and the conversation's own log. They share one format. */
import { z } from 'zod'
import { type AgentEvent, type AgentState, agentState } from '../../../shared/events/agent-event.ts'
import {
  type ConversationRecord,
  conversationEvent,
  conversationRecord,
} from '../../../shared/events/conversation.ts'
import {
  type ConversationEvent,
  isKnownConversationEvent,
} from '../../../shared/events/conversation-event.ts'
import { type EventFailure, intactEvent, isKnownEvent } from '../../../shared/events/upcast-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { foldAgent } from '../../../shared/state/agent-state.ts'
import { foldRecord } from '../../../shared/state/conversation-state.ts'

/** The description of a kind of log: its events `E` and the folded state `S`. */
export interface LogKind<E extends LogEvent, S extends FoldedLog> {
  /** Whether an event of this version and type can be read, judged by its head alone. */
  knows(version: unknown, type: unknown): boolean
  /** @param raw of a line whose checksum is right */
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

export const agentLogKind: LogKind<AgentEvent, AgentState> = {
  knows: isKnownEvent,
  parse: intactEvent,
  fold: foldAgent,
  state: agentState,
  snapshotVersion: 18,
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
