/** How far a message from one agent to another has come. Nothing is remembered for it: it follows from what is known. */
import type { ToolDisplay } from './agent-event.ts'
import type { AgentState } from './agent-state.ts'

export type SentMessage = Extract<ToolDisplay, { kind: 'message' }>

/**
 * `mailbox`: it lies where an agent of that name will find it. `queued`: it waits for its agent's next turn.
 * `delivered`: it is in that agent's transcript. `read`: the agent has answered since.
 */
export type MessageDelivery = 'mailbox' | 'queued' | 'delivered' | 'read'

export interface DeliveryClues {
  /** What waits in the conversation, whoever it is for. */
  readonly queued: readonly { readonly messageId: string }[]
  /** The agent it is for (see `receiverOf`); undefined: it is not in this conversation. */
  readonly receiver: Pick<AgentState, 'unread' | 'turn'> | undefined
}

export function deliveryOf(
  { messageId, how }: Pick<SentMessage, 'messageId' | 'how'>,
  { queued, receiver }: DeliveryClues,
): MessageDelivery {
  if (queued.some((message) => message.messageId === messageId)) return 'queued'
  if (receiver?.unread.includes(messageId)) return 'delivered'
  // A mailbox is looked into before the first turn, so one that had a turn has found it.
  if (how === 'mailbox') return receiver !== undefined && receiver.turn > 0 ? 'read' : 'mailbox'
  if (receiver !== undefined) return 'read'
  return how === 'queued' ? 'queued' : 'delivered'
}

/** The agent with that id, else the one of that name: of several the last that was started. */
export function receiverOf(agents: ReadonlyMap<string, AgentState>, to: string): AgentState | undefined {
  const known = agents.get(to)
  if (known !== undefined) return known
  let found: AgentState | undefined
  for (const agent of agents.values()) if (agent.name === to) found = agent
  return found
}
