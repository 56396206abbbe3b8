/** Stamps the events of a conversation and its agents with their common order, and publishes them. */
import {
  type AgentEvent,
  type AgentEventDraft,
  EVENT_VERSION,
  type EventOrigin,
  type LiveEvent,
} from '../../../shared/events/agent-event.ts'
import {
  CONVERSATION_EVENT_VERSION,
  type ConversationEvent,
  type ConversationEventDraft,
  type LoggedEvent,
} from '../../../shared/events/conversation-event.ts'
import type { Clock } from '../ports/ports.ts'
import type { RuntimeDelta } from '../ports/runtime.ts'

export type LoggedHappening =
  /** An event of an agent was logged, folded and published. */
  | { readonly type: 'agent-event'; readonly event: AgentEvent }
  /** The same for an event of the conversation itself. */
  | { readonly type: 'conversation-event'; readonly event: ConversationEvent }

interface EventSequencerOptions {
  readonly conversationId: string
  /** The order of the next event. */
  readonly firstOrder: number
  readonly clock: Pick<Clock, 'now'>
  readonly publish: (delta: RuntimeDelta) => void
  /** Called after an event was published. */
  readonly published?: (what: LoggedHappening) => void
  /** Called when the conversation's entry in the list of conversations changed. */
  readonly summaryChanged: () => void
}

export class EventSequencer {
  private readonly options: EventSequencerOptions
  private order: number

  constructor(options: EventSequencerOptions) {
    this.options = options
    this.order = options.firstOrder
  }

  get lastOrder(): number {
    return this.order - 1
  }

  /** `origin`: of an event from outside this process. */
  stamp<D extends AgentEventDraft>(
    draft: D,
    agent: { readonly id: string; readonly seq: number; readonly origin?: EventOrigin },
  ): Extract<AgentEvent, { type: D['type'] }> {
    const { id, seq, origin } = agent
    return {
      v: EVENT_VERSION,
      agentId: id,
      seq,
      order: this.order++,
      at: this.options.clock.now(),
      ...(origin && { origin }),
      ...draft,
    } as unknown as Extract<AgentEvent, { type: D['type'] }>
  }

  /** An event of the conversation's own log. */
  stampOwn(draft: ConversationEventDraft, seq: number): ConversationEvent {
    return {
      v: CONVERSATION_EVENT_VERSION,
      conversationId: this.options.conversationId,
      seq,
      order: this.order++,
      at: this.options.clock.now(),
      ...draft,
    }
  }

  publishOwn(event: ConversationEvent): void {
    const { conversationId } = this.options
    this.options.publish({ type: 'conversation-event', conversationId, event })
    if (CHANGES_SUMMARY.has(event.type)) this.options.summaryChanged()
    this.options.published?.({ type: 'conversation-event', event })
  }

  publish(event: AgentEvent): void {
    this.options.publish({ type: 'event', conversationId: this.options.conversationId, event })
    if (CHANGES_SUMMARY.has(event.type)) this.options.summaryChanged()
    this.options.published?.({ type: 'agent-event', event })
  }

  publishLive(event: LiveEvent): void {
    this.options.publish({ type: 'live', conversationId: this.options.conversationId, event })
  }
}

const CHANGES_SUMMARY: ReadonlySet<LoggedEvent['type']> = new Set([
  'conversation-titled',
  'conversation-marked',
  'conversation-limited',
  'conversation-settled',
  'message-queued',
  'message-redirected',
  'agent-spawned',
  'status-changed',
  'permission-asked',
  'permission-answered',
  'form-opened',
  'form-closed',
  'agent-ended',
] as const)
