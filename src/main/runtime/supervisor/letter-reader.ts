/** Letters that lie in an agent's mailbox, read when it starts or is resumed. */
import type { Mailbox } from '../ports.ts'
import type { LiveAgent } from './live-agent.ts'

export class LetterReader {
  private readonly mailbox: Mailbox
  /** The last reader of each box: two agents of one name must not both get what lies in it. */
  private readonly turns = new Map<string, Promise<void>>()

  constructor(mailbox: Mailbox) {
    this.mailbox = mailbox
  }

  /** They become part of its next user message. One that is in its transcript already is not read again. */
  async read(agent: LiveAgent): Promise<void> {
    const { name } = agent.state()
    for (const box of name === null ? [agent.id] : [agent.id, name]) {
      const turn = (this.turns.get(box) ?? Promise.resolve()).then(() => this.readBox(box, agent))
      const over = turn.catch(() => undefined)
      this.turns.set(box, over)
      await turn.finally(() => {
        if (this.turns.get(box) === over) this.turns.delete(box)
      })
    }
  }

  private async readBox(box: string, agent: LiveAgent): Promise<void> {
    const taken = await this.mailbox.take(box)
    if (!taken.ok) {
      agent.emit({ type: 'notice', level: 'warning', text: taken.failure.message })
      return
    }
    if (taken.value.length === 0) return
    for (const { messageId, sender, content } of taken.value)
      if (!agent.messageIds.has(messageId))
        agent.emit({
          type: 'user-message',
          messageId,
          from: sender === null ? 'user' : 'agent',
          sender,
          content: [...content],
        })
    // Only what is in the transcript on the disk leaves the mailbox.
    if (!(await agent.flush(agent.controller.signal))) return
    const read = taken.value.map(({ messageId }) => messageId)
    await this.mailbox.done(box, read)
  }
}
