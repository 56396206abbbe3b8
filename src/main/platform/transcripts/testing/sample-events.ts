/** Sample events for a transcript. */

import type { AgentEvent, EventOf } from '../../../../shared/events/agent-event.ts'
import type {
  ConversationEvent,
  ConversationEventDraft,
} from '../../../../shared/events/conversation-event.ts'
import { sampleDefinition, sampleEvent } from '../../../../shared/testing/sample-events.ts'

/** An event of the conversation's own log. */
export function conversationEvent(
  conversationId: string,
  { seq, order }: { readonly seq: number; readonly order: number },
  draft: ConversationEventDraft,
): ConversationEvent {
  return { v: 1, conversationId, seq, order, at: 1_700_000_000_000 + order, ...draft }
}

/** Event number 0. */
export function spawned(agentId: string): EventOf<'agent-spawned'> {
  return sampleEvent('agent-spawned', { ...head(agentId, 0), definition: sampleDefinition({ name: 'main' }) })
}

/** A notice with any text. */
export function notice(agentId: string, seq: number, text: string): EventOf<'notice'> {
  return sampleEvent('notice', { ...head(agentId, seq), level: 'info', text })
}

export function ended(agentId: string, seq: number): EventOf<'agent-ended'> {
  return sampleEvent('agent-ended', head(agentId, seq))
}

/** The first `count` events of an agent: it is spawned, then notices, each of about `size` characters. */
export function sampleEvents(agentId: string, count: number, size = 20): AgentEvent[] {
  return Array.from({ length: count }, (_, seq) =>
    seq === 0 ? spawned(agentId) : notice(agentId, seq, `Number ${seq} of “many” ${'.'.repeat(size)}`),
  )
}

function head(agentId: string, seq: number) {
  return { agentId, seq, order: seq, at: 1_700_000_000_000 + seq }
}
