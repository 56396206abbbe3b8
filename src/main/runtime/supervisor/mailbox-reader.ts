/** Reads an agent's mailbox when the agent starts or resumes. */
import type { Mailbox } from '../ports.ts'
import type { LiveAgent } from './live-agent.ts'

export class MailboxReader {
  private readonly mailbox: Mailbox
  /** The last reader of each mailbox: two agents of one name must not get the same message. */
  private readonly readers = new Map<string, Promise<void>>()

  constructor(mailbox: Mailbox) {
    this.mailbox = mailbox
  }

  /** The messages become part of the agent's next user message. A message in its transcript is not read again. */
  async read(agent: LiveAgent, signal: AbortSignal): Promise<void> {
    const { name } = agent.state()
    for (const mailbox of name === null ? [agent.id] : [agent.id, name]) {
      const previous = this.readers.get(mailbox) ?? Promise.resolve()
      const reading = previous.then(() => this.readMailbox(mailbox, agent, signal))
      const finished = reading.catch(() => undefined)
      this.readers.set(mailbox, finished)
      await reading.finally(() => {
        if (this.readers.get(mailbox) === finished) this.readers.delete(mailbox)
      })
    }
  }

  private async readMailbox(mailbox: string, agent: LiveAgent, signal: AbortSignal): Promise<void> {
    const taken = await this.mailbox.take(mailbox)
    if (!taken.ok) {
      agent.emit({ type: 'notice', level: 'warning', text: taken.failure.message })
      return
    }
    if (taken.value.length === 0) return
    for (const { messageId, sender, content } of taken.value)
      if (!agent.transcript.messageIds.has(messageId))
        agent.emit({
          type: 'user-message',
          messageId,
          from: sender === null ? 'user' : 'agent',
          sender,
          content: [...content],
        })
    // A message leaves the mailbox only once the transcript on disk has it.
    if (!(await agent.flush(signal))) return
    await this.mailbox.done(
      mailbox,
      taken.value.map(({ messageId }) => messageId),
    )
  }
}
