/** Letters that lie in an agent's mailbox, read when it starts or is resumed. */
import type { Conversation } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'

/** They become part of its next user message. One that is in its transcript already is not read again. */
export async function readLetters(conversation: Conversation, agent: LiveAgent): Promise<void> {
  const { mailbox } = conversation.deps.ports
  const { name } = agent.state()
  for (const box of name === null ? [agent.id] : [agent.id, name]) {
    const taken = await mailbox.take(box)
    if (!taken.ok) {
      agent.emit({ type: 'notice', level: 'warning', text: taken.failure.message })
      continue
    }
    if (taken.value.length === 0) continue
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
    await agent.flush(agent.controller.signal)
    const read = taken.value.map(({ messageId }) => messageId)
    await mailbox.done(box, read)
  }
}
