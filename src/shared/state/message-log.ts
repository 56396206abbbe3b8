/**
 * The messages between the agents of a conversation and the user, and their threads. Derived from the agents' states
 * and the queue; nothing else is stored.
 */

import type { ToolDisplay } from '../events/agent-event.ts'
import type { RefusedCopy } from '../events/conversation.ts'
import { reportIn, withoutFrame } from '../messages/text-of.ts'
import type { AgentState } from './agent-state.ts'
import type { QueuedMessagePreview } from './conversation-snapshot.ts'

/** The person at the window, as the author of a message. */
export const USER = 'user'

/**
 * The state of a message at one receiver. `answered`: the receiver has written back. `ended`: the receiver ended before it
 * got the message, and gets it when it is resumed. `refused`: the receiver never gets it.
 */
export type ReceiptState = MessageDelivery | 'answered' | 'ended' | 'refused'

export interface MessageReceiver {
  /** The agent, or a name without an agent. */
  readonly to: string
  readonly delivery: ReceiptState
  /** When it was received, ms since the epoch; null: it was not. */
  readonly at: number | null
  /** Why it is refused, as a sentence; null: it is not. */
  readonly reason: string | null
}

export interface LoggedMessage {
  readonly id: string
  /** An agent's id, or `USER`. */
  readonly from: string
  /**
   * `prompt`: what an agent was started or resumed with. `report`: what it ended with. `answer`: what it wrote in its
   * transcript after a message of the user.
   */
  readonly kind: 'message' | 'prompt' | 'report' | 'answer'
  readonly text: string
  /** When the first receiver got it, ms since the epoch; null: nobody has it yet. */
  readonly at: number | null
  readonly receivers: readonly MessageReceiver[]
  /** Whether it was written to several agents at once. */
  readonly toAll: boolean
  /** The key of its thread. An answer is in the thread of the message that it answers. */
  readonly thread: string
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

/** What of a conversation its messages are derived from. */
export interface MessageSources {
  readonly agents: ReadonlyMap<string, AgentState>
  readonly queued: readonly QueuedMessagePreview[]
  readonly refusals: readonly RefusedCopy[]
}

/** Oldest first; messages that nobody has received come last. */
export function messageLog({ agents, queued, refusals }: MessageSources): readonly LoggedMessage[] {
  const log = new Log()
  for (const agent of agents.values())
    for (const received of agent.received) addReceived(log, agent, received)
  for (const { messageId, agentId, text, from, sender, broadcast } of queued) {
    if (log.has(messageId) || (from === 'runtime' && sender === null)) continue
    const delivery = hasEndedBefore(agents.get(agentId)) ? 'ended' : 'queued'
    log.add({
      id: messageId,
      from: from === 'user' ? USER : (sender ?? USER),
      kind: kindOf(from),
      text: from === 'agent' ? withoutFrame(text) : from === 'runtime' ? reportIn(text) : text,
      at: null,
      broadcast: broadcast ?? null,
      receiver: { to: agentId, delivery, at: null, reason: null },
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
        receiver: { to, delivery, at: null, reason: null },
      })
    }
  for (const refused of refusals) log.refuse(refused)
  return withAnswers(log.sorted())
}

/** A message in a transcript, and the answers of its agent to the user. */
function addReceived(log: Log, agent: AgentState, message: AgentState['received'][number]): void {
  const { messageId, from, sender, text, broadcast, at, replies } = message
  const isUnread = agent.unread.includes(messageId)
  const delivery = isUnread ? 'delivered' : replies.length > 0 ? 'answered' : 'read'
  const author = authorOf(agent, from, sender)
  log.add({
    ...{ id: messageId, from: author, kind: kindOf(from), text, at, broadcast },
    receiver: { to: agent.id, delivery, at, reason: null },
  })
  for (const [index, reply] of replies.entries())
    log.answer({
      id: `${messageId} ${index}`,
      from: agent.id,
      kind: 'answer',
      text: reply.text,
      at: reply.at,
      receivers: [{ to: USER, delivery: 'read', at: reply.at, reason: null }],
      toAll: false,
      thread: threadKeyOf(USER, broadcast === null ? agent.id : null),
    })
}

/** Whether the agent ended before its work was done, or takes no more messages, so that it gets none until it is resumed. */
function hasEndedBefore(agent: AgentState | undefined): boolean {
  if (agent === undefined) return false
  if (agent.status === 'completed') return agent.definition.oneShot
  return agent.status === 'failed' || agent.status === 'stopped' || agent.status === 'interrupted'
}

/**
 * The first message that an agent writes to the author of its last message answers it. The answer to a message to all is in
 * the thread of that message.
 */
function withAnswers(messages: readonly LoggedMessage[]): readonly LoggedMessage[] {
  const receipts = receiptsOf(messages)
  const threads = new Map<LoggedMessage, string>()
  const answered = new Map<LoggedMessage, Set<string>>()
  for (const message of messages) {
    const [receiver] = message.receivers
    if (receiver === undefined || message.toAll || !ANSWERING.has(message.kind)) continue
    const at = message.at ?? Number.POSITIVE_INFINITY
    const asked = receipts.get(`${receiver.to} ${message.from}`)?.findLast((receipt) => receipt.at < at)
    const others = asked && (answered.get(asked.message) ?? new Set())
    if (asked === undefined || others === undefined || others.has(message.from)) continue
    answered.set(asked.message, others.add(message.from))
    threads.set(message, asked.message.thread)
  }
  return messages.map((message) => {
    const by = answered.get(message)
    const thread = threads.get(message) ?? message.thread
    if (by === undefined) return thread === message.thread ? message : { ...message, thread }
    const receivers = message.receivers.map((receiver) =>
      by.has(receiver.to) && receiver.delivery === 'read'
        ? { ...receiver, delivery: 'answered' as const }
        : receiver,
    )
    return { ...message, thread, receivers }
  })
}

const ANSWERING: ReadonlySet<LoggedMessage['kind']> = new Set(['message', 'report'])

interface Receipt {
  readonly at: number
  readonly message: LoggedMessage
}

/** What each agent received from each other one, by `author receiver`, oldest first. */
function receiptsOf(messages: readonly LoggedMessage[]): ReadonlyMap<string, readonly Receipt[]> {
  const receipts = new Map<string, Receipt[]>()
  for (const message of messages) {
    if (message.from === USER || message.kind === 'report' || message.kind === 'answer') continue
    for (const { to, at } of message.receivers) {
      if (at === null) continue
      const key = `${message.from} ${to}`
      receipts.set(key, [...(receipts.get(key) ?? []), { at, message }])
    }
  }
  for (const list of receipts.values()) list.sort((one, other) => one.at - other.at)
  return receipts
}

/** The threads of these messages, the one with the newest message first. */
export function threadsOf(messages: readonly LoggedMessage[]): readonly MessageThread[] {
  const threads = new Map<string, { parties: string[]; toAll: boolean; messages: LoggedMessage[] }>()
  for (const message of messages) {
    const { thread: key, from, receivers } = message
    const toAll = key.startsWith(TO_ALL)
    const thread = threads.get(key) ?? {
      parties: toAll ? [key.slice(TO_ALL.length)] : [from, receivers[0]?.to ?? ''],
      toAll,
      messages: [],
    }
    thread.messages.push(message)
    // A thread moves to the end with each message, so that the order is that of the last messages.
    threads.delete(key)
    threads.set(key, thread)
  }
  return [...threads].map(([key, thread]) => ({ key, ...thread })).reverse()
}

const TO_ALL = 'all '

/** The thread of a message from one party to another, or to all (`to` null). */
export function threadKeyOf(from: string, to: string | null): string {
  return to === null ? `${TO_ALL}${from}` : [from, to].sort().join(' ')
}

interface Entry extends Omit<LoggedMessage, 'receivers' | 'toAll' | 'thread'> {
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
    const toAll = broadcast !== null
    const thread = threadKeyOf(entry.from, toAll ? null : receiver.to)
    if (known === undefined) this.messages.set(key, { ...entry, receivers: [receiver], toAll, thread })
    else
      this.messages.set(key, {
        ...known,
        at: known.at === null || entry.at === null ? (known.at ?? entry.at) : Math.min(known.at, entry.at),
        receivers: [...known.receivers, receiver],
      })
  }

  answer(message: LoggedMessage): void {
    this.messages.set(message.id, message)
  }

  /** Names a receiver that does not get its copy, if another one got one. */
  refuse({ broadcast, agentId, reason }: RefusedCopy): void {
    const known = this.messages.get(broadcast)
    if (known === undefined || known.receivers.some(({ to }) => to === agentId)) return
    const receiver = { to: agentId, delivery: 'refused', at: null, reason } as const
    this.messages.set(broadcast, { ...known, receivers: [...known.receivers, receiver] })
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
