import type { AgentEvent, LiveEvent } from '../events/agent-event.ts'
import type { ConversationEvent } from '../events/conversation-event.ts'
import type { ConversationSummary } from './conversation-summary.ts'

/** A change to a conversation, as the runtime publishes it and the window receives it. */
export type ConversationDelta =
  | { readonly type: 'event'; readonly conversationId: string; readonly event: AgentEvent }
  | { readonly type: 'live'; readonly conversationId: string; readonly event: LiveEvent }
  | {
      readonly type: 'conversation-event'
      readonly conversationId: string
      readonly event: ConversationEvent
    }
  | { readonly type: 'conversation'; readonly summary: ConversationSummary }
  | { readonly type: 'conversation-gone'; readonly conversationId: string }

/** A failed write to a log. The agents named here are paused until a write succeeds. */
export interface WriteFailure {
  readonly conversationId: string
  /** Empty: everything is saved again. */
  readonly agentIds: readonly string[]
  /** The cause and the next step. */
  readonly message: string
}
