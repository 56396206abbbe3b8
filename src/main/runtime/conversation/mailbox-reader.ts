/** Moves messages from mailboxes, which processes share, to the queue of an agent. */
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import type { Mailbox } from '../ports/ports.ts'

/** An agent with its mailboxes. */
interface MailboxOwner {
  readonly agentId: string
  /** Its id, and its name if it has one. */
  readonly mailboxes: readonly string[]
  /** Those of the messages that the agent does not have yet; null: its log can't be read now. */
  unknown(messageIds: readonly string[]): Promise<readonly string[] | null>
  /** Queues messages. False: they are not on disk. */
  accept(messages: readonly QueuedMessage[]): Promise<boolean>
  /** The mailbox can't be read. */
  failed(message: string): void
}

export class MailboxReader {
  private readonly mailbox: Mailbox
  /** The last reader of each mailbox: two agents of one name must not get the same message. */
  private readonly readers = new Map<string, Promise<void>>()

  constructor(mailbox: Mailbox) {
    this.mailbox = mailbox
  }

  /** Resolves to the new messages, which are queued. */
  async read(owner: MailboxOwner): Promise<readonly QueuedMessage[]> {
    const found: QueuedMessage[] = []
    for (const name of owner.mailboxes) {
      const previous = this.readers.get(name) ?? Promise.resolve()
      const reading = previous.then(async () => {
        found.push(...(await this.readMailbox(name, owner)))
      })
      const finished = reading.catch(() => undefined)
      this.readers.set(name, finished)
      await reading.finally(() => {
        if (this.readers.get(name) === finished) this.readers.delete(name)
      })
    }
    return found
  }

  /** Calls `arrived` soon after a message arrived in the mailbox. @returns the function that stops watching */
  watch(name: string, arrived: () => void): () => void {
    return this.mailbox.watch?.(name, arrived) ?? (() => {})
  }

  private async readMailbox(name: string, owner: MailboxOwner): Promise<readonly QueuedMessage[]> {
    const taken = await this.mailbox.take(name)
    if (!taken.ok) {
      owner.failed(taken.failure.message)
      return []
    }
    if (taken.value.length === 0) return []
    const ids = taken.value.map(({ messageId }) => messageId)
    const unknown = await owner.unknown(ids)
    if (unknown === null) return []
    const messages = taken.value
      .filter(({ messageId }) => unknown.includes(messageId))
      .map(
        ({ messageId, sender, content, broadcast }): QueuedMessage => ({
          messageId,
          agentId: owner.agentId,
          from: sender === null ? 'user' : 'agent',
          sender,
          content: [...content],
          ...(broadcast === undefined ? {} : { broadcast }),
        }),
      )
    // A message leaves the mailbox only once the log on disk has it.
    if (!(await owner.accept(messages))) return []
    await this.mailbox.done(name, ids)
    return messages
  }
}
