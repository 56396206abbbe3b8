/** The durable events of a conversation itself: their types, and which they are. See `conversation.ts`. */
import type { z } from 'zod'
import type { AgentEvent } from './agent-event.ts'
import type { ConversationRecord, conversationEvent } from './conversation.ts'

export type ConversationEvent = z.infer<typeof conversationEvent>

/** The version of the events that this program writes. */
export const CONVERSATION_EVENT_VERSION: ConversationEvent['v'] = 1

export type ConversationEventOf<T extends ConversationEvent['type']> = Extract<ConversationEvent, { type: T }>

type Unstamped<E> = E extends unknown ? Omit<E, 'v' | 'conversationId' | 'seq' | 'order' | 'at'> : never
/** An event before the log stamps it. */
export type ConversationEventDraft = Unstamped<ConversationEvent>

/** Every durable event of a conversation. */
export type LoggedEvent = AgentEvent | ConversationEvent

const types: Readonly<Record<ConversationEvent['type'], true>> = {
  'conversation-created': true,
  'conversation-titled': true,
  'conversation-marked': true,
  'conversation-limited': true,
  'conversation-settled': true,
  'agent-added': true,
  'message-queued': true,
  'message-withdrawn': true,
  'message-redirected': true,
  'message-refused': true,
  'message-delivered': true,
  'team-created': true,
  'team-member-added': true,
  'team-member-removed': true,
  'team-ending': true,
  'team-ended': true,
  'task-changed': true,
  'phase-changed': true,
  'verification-changed': true,
  'changes-undone': true,
  'comparison-started': true,
  'comparison-checked': true,
  'comparison-merged': true,
  'work-verified': true,
}

/** Whether an event is one of the conversation itself, not of an agent. */
export function isConversationEvent(event: LoggedEvent): event is ConversationEvent {
  return Object.hasOwn(types, event.type)
}

/**
 * The events that make a record. The order of `conversation-created` is 0, so that a replay knows the conversation
 * from its start; queued messages have `nextOrder` and the following orders.
 */
export function eventsOfRecord(record: ConversationRecord, nextOrder: number): readonly ConversationEvent[] {
  const { v: _, id: conversationId, queued, ...created } = record
  const head = { v: CONVERSATION_EVENT_VERSION, conversationId } as const
  return [
    { ...head, seq: 0, order: 0, at: record.createdAt, type: 'conversation-created', ...created },
    ...queued.map((message, index) => ({
      ...head,
      seq: index + 1,
      order: nextOrder + index,
      at: record.updatedAt,
      type: 'message-queued' as const,
      message,
    })),
  ]
}

/** Whether this version can read an event with this version and type. */
export function isKnownConversationEvent(version: unknown, type: unknown): boolean {
  return version === CONVERSATION_EVENT_VERSION && Object.hasOwn(types, String(type))
}
