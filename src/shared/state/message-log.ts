/**
 * The messages between the agents of a conversation and the user, and their threads. Derived from the agents' states
 * and the queue; nothing else is stored.
 */

import type { ToolDisplay } from '../events/agent-event.ts'
import { reportIn, withoutFrame } from '../messages/text-of.ts'
import type { AgentState } from './agent-state.ts'
import type { QueuedMessagePreview } from './conversation-snapshot.ts'

/** The person at the window, as the author of a message. */
export const USER = 'user'

interface MessageReceiver {
  /** The agent, or a name without an agent. */
  readonly to: string
  readonly delivery: MessageDelivery
}

export interface LoggedMessage {
  readonly id: string
  /** An agent's id, or `USER`. */
  readonly from: string
  /** `prompt`: what an agent was started or resumed with. `report`: what it ended with. */
  readonly kind: 'message' | 'prompt' | 'report'
  readonly text: string
  /** When the first receiver got it, ms since the epoch; null: nobody has it yet. */
  readonly at: number | null
  readonly receivers: readonly MessageReceiver[]
  /** Whether it was written to several agents at once. */
  readonly toAll: boolean
}

export interface MessageThread {
  /** The same for both directions. */
  readonly key: string
  /** Who writes to whom, the one who wrote first in front. To several agents: only the author. */
  readonly parties: readonly string[]
  readonly toAll: boolean
  /** Oldest first. Never empty. */
  readonly messages: readonly LoggedMessage[]
}

/** Oldest first; messages that nobody has received come last. */
export function messageLog(
  agents: ReadonlyMap<string, AgentState>,
  queued: readonly QueuedMessagePreview[],
): readonly LoggedMessage[] {
  const log = new Log()
  for (const agent of agents.values())
    for (const { messageId, from, sender, text, broadcast, at } of agent.received)
      log.add({
        id: messageId,
        from: authorOf(agent, from, sender),
        kind: kindOf(from),
        text,
        at,
        broadcast,
        receiver: { to: agent.id, delivery: agent.unread.includes(messageId) ? 'delivered' : 'read' },
      })
  for (const { messageId, agentId, text, from, sender, broadcast } of queued) {
    if (log.has(messageId) || (from === 'runtime' && sender === null)) continue
    log.add({
      id: messageId,
      from: from === 'user' ? USER : (sender ?? USER),
      kind: kindOf(from),
      text: from === 'agent' ? withoutFrame(text) : from === 'runtime' ? reportIn(text) : text,
      at: null,
      broadcast: broadcast ?? null,
      receiver: { to: agentId, delivery: 'queued' },
    })
  }
  for (const agent of agents.values())
    for (const { messageId, to, text, at } of agent.kept) {
      const receiver = receiverOf(agents, to)
      if (log.has(messageId)) continue
      const delivery = receiver !== undefined && receiver.turn > 0 ? 'read' : 'mailbox'
      log.add({
        id: messageId,
        from: agent.id,
        kind: 'message',
        text,
        at,
        broadcast: null,
        receiver: { to, delivery },
      })
    }
  return log.sorted()
}

/** The threads of these messages, the one with the newest message first. */
export function threadsOf(messages: readonly LoggedMessage[]): readonly MessageThread[] {
  const threads = new Map<string, { parties: string[]; toAll: boolean; messages: LoggedMessage[] }>()
  for (const message of messages) {
    const key = threadKey(message)
    const thread = threads.get(key) ?? {
      parties: message.toAll ? [message.from] : [message.from, message.receivers[0]?.to ?? ''],
      toAll: message.toAll,
      messages: [],
    }
    thread.messages.push(message)
    // A thread moves to the end with each message, so that the order is that of the last messages.
    threads.delete(key)
    threads.set(key, thread)
  }
  return [...threads].map(([key, thread]) => ({ key, ...thread })).reverse()
}

/** The thread of a message from one party to another, or to all (`to` null). */
export function threadKeyOf(from: string, to: string | null): string {
  return to === null ? `all ${from}` : [from, to].sort().join(' ')
}

function threadKey({ from, receivers, toAll }: LoggedMessage): string {
  return threadKeyOf(from, toAll ? null : (receivers[0]?.to ?? ''))
}

interface Entry extends Omit<LoggedMessage, 'receivers' | 'toAll'> {
  readonly broadcast: string | null
  readonly receiver: MessageReceiver
}

/** Joins the copies of one message. */
class Log {
  private readonly messages = new Map<string, LoggedMessage>()
  private readonly ids = new Set<string>()

  has(messageId: string): boolean {
    return this.ids.has(messageId)
  }

  add({ broadcast, receiver, ...entry }: Entry): void {
    this.ids.add(entry.id)
    const key = broadcast ?? `${entry.id} ${receiver.to}`
    const known = this.messages.get(key)
    if (known === undefined)
      this.messages.set(key, { ...entry, receivers: [receiver], toAll: broadcast !== null })
    else
      this.messages.set(key, {
        ...known,
        at: known.at === null || entry.at === null ? (known.at ?? entry.at) : Math.min(known.at, entry.at),
        receivers: [...known.receivers, receiver],
      })
  }

  sorted(): readonly LoggedMessage[] {
    const time = ({ at }: LoggedMessage) => at ?? Number.POSITIVE_INFINITY
    return [...this.messages.values()].sort((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)))
  }
}

function authorOf(
  agent: Pick<AgentState, 'parentId'>,
  from: 'user' | 'parent' | 'agent' | 'runtime',
  sender: string | null,
): string {
  if (from === 'user') return USER
  return sender ?? agent.parentId ?? USER
}

function kindOf(from: 'user' | 'parent' | 'agent' | 'runtime'): LoggedMessage['kind'] {
  return from === 'parent' ? 'prompt' : from === 'runtime' ? 'report' : 'message'
}

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

/** The delivery state of a message between agents. It is derived from known state; nothing else is stored. */
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
