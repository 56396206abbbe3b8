/** The delivery state of a message between agents. It is derived from known state; nothing else is stored. */
import type { ToolDisplay } from '../events/agent-event.ts'
import type { AgentState } from './agent-state.ts'

export type SentMessage = Extract<ToolDisplay, { kind: 'message' }>

/**
 * `mailbox`: stored for an agent of that name. `queued`: waiting for its agent's next turn. `delivered`: in that
 * agent's transcript. `read`: the agent has answered since.
 */
export type MessageDelivery = 'mailbox' | 'queued' | 'delivered' | 'read'

interface DeliveryClues {
  /** All queued messages of the conversation. */
  readonly queued: readonly { readonly messageId: string }[]
  /** The receiver (see `receiverOf`); undefined: not in this conversation. */
  readonly receiver: Pick<AgentState, 'unread' | 'turn'> | undefined
}

export function deliveryOf(
  { messageId, how }: Pick<SentMessage, 'messageId' | 'how'>,
  { queued, receiver }: DeliveryClues,
): MessageDelivery {
  if (queued.some((message) => message.messageId === messageId)) return 'queued'
  if (receiver?.unread.includes(messageId)) return 'delivered'
  // An agent reads its mailbox before its first turn, so after a turn the message was delivered.
  if (how === 'mailbox') return receiver !== undefined && receiver.turn > 0 ? 'read' : 'mailbox'
  if (receiver !== undefined) return 'read'
  return how === 'queued' ? 'queued' : 'delivered'
}

/** The agent with that id, else the last started agent of that name. */
export function receiverOf(agents: ReadonlyMap<string, AgentState>, to: string): AgentState | undefined {
  const known = agents.get(to)
  if (known !== undefined) return known
  let found: AgentState | undefined
  for (const agent of agents.values()) if (agent.name === to) found = agent
  return found
}
