/** The messages that no agent has read yet, oldest first. Each change is an event of the conversation. */
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import type { ConversationEventDraft } from '../../../shared/events/conversation-event.ts'

export class MessageQueue {
  private waiting: readonly QueuedMessage[]
  /** Messages that an agent has taken in, and that are not in its transcript on disk yet. */
  private takenIn: readonly QueuedMessage[] = []
  private readonly emit: (draft: ConversationEventDraft) => void

  /** `emit` is called after each change. */
  constructor(waiting: readonly QueuedMessage[], emit: (draft: ConversationEventDraft) => void) {
    this.waiting = waiting
    this.emit = emit
  }

  /** The messages that no agent has taken in. */
  get all(): readonly QueuedMessage[] {
    return this.waiting
  }

  add(message: QueuedMessage): void {
    this.waiting = [...this.waiting, message]
    this.emit({ type: 'message-queued', message })
  }

  /** The removed message; null if it was not queued. */
  remove(messageId: string): QueuedMessage | null {
    const message = this.waiting.find((other) => other.messageId === messageId)
    if (!message) return null
    this.withdraw([message])
    return message
  }

  has(messageId: string): boolean {
    return this.waiting.some((message) => message.messageId === messageId)
  }

  hasFor(agentId: string): boolean {
    return this.waiting.some((message) => message.agentId === agentId)
  }

  /** Takes out an agent's messages; the caller adds them to its transcript. */
  takeIn(agentId: string): readonly QueuedMessage[] {
    const taken = this.waiting.filter((message) => message.agentId === agentId)
    if (taken.length === 0) return taken
    this.waiting = this.waiting.filter((message) => message.agentId !== agentId)
    this.takenIn = [...this.takenIn, ...taken]
    return taken
  }

  /** A process outside this one has added the message to the agent's transcript. */
  arrived(messageId: string): void {
    const message = this.waiting.find((other) => other.messageId === messageId)
    if (!message) return
    this.waiting = this.waiting.filter((other) => other !== message)
    this.takenIn = [...this.takenIn, message]
  }

  /** Redirects the notices for one agent to another. False if there are none. */
  passOnNotices(from: string, to: string): boolean {
    const redirected = this.waiting.filter((message) => message.agentId === from && isNotice(message))
    if (redirected.length === 0) return false
    this.waiting = this.waiting.map((message) =>
      redirected.includes(message) ? { ...message, agentId: to } : message,
    )
    this.emit({
      type: 'message-redirected',
      messageIds: redirected.map(({ messageId }) => messageId),
      agentId: to,
    })
    return true
  }

  /** Withdraws the program's own messages to this agent, which no longer apply ("you may continue"). Notices stay. */
  dropRemarks(agentId: string): void {
    this.withdraw(
      this.waiting.filter(
        (message) => message.agentId === agentId && message.from === 'runtime' && !isNotice(message),
      ),
    )
  }

  /** Messages that this agent has taken in, and that may not be on disk. */
  takenInBy(agentId: string): readonly string[] {
    return this.takenIn.flatMap((message) => (message.agentId === agentId ? [message.messageId] : []))
  }

  /** Records that these messages are in a transcript on disk. @returns whether this was new for one of the messages */
  written(messageIds: readonly string[]): boolean {
    const delivered = this.takenIn.filter(({ messageId }) => messageIds.includes(messageId))
    if (delivered.length === 0) return false
    this.takenIn = this.takenIn.filter((message) => !delivered.includes(message))
    this.emit({ type: 'message-delivered', messageIds: delivered.map(({ messageId }) => messageId) })
    return true
  }

  private withdraw(messages: readonly QueuedMessage[]): void {
    if (messages.length === 0) return
    this.waiting = this.waiting.filter((message) => !messages.includes(message))
    this.emit({ type: 'message-withdrawn', messageIds: messages.map(({ messageId }) => messageId) })
  }
}

/** A message that reports another agent's end. */
const isNotice = ({ from, sender }: QueuedMessage): boolean => from === 'runtime' && sender !== null
