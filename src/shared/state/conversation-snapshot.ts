import type { ConversationRecord } from '../events/conversation.ts'
import type { AgentState } from './agent-state.ts'

/** A message that its agent has not read yet. */
export interface QueuedMessagePreview {
  readonly messageId: string
  readonly agentId: string
  readonly text: string
  readonly from: 'user' | 'agent' | 'runtime'
  /** The agent that wrote the message, or the agent whose end it reports. */
  readonly sender: string | null
  /** The same for the copies of one message to several agents. */
  readonly broadcast?: string | undefined
}

/** The state of a conversation at one moment. Deltas continue from `order`. */
export interface ConversationSnapshot {
  /** `queued` has the messages that no agent has received. */
  readonly record: ConversationRecord
  readonly readOnly: boolean
  readonly agents: readonly AgentState[]
  /** Every later delta has a higher `order`. */
  readonly order: number
}
