/** Moves the messages in an agent's mailboxes to its queue: at the start of a run, and when one arrives. */
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import type { Conversation } from './conversation.ts'

/**
 * Resolves when the messages are queued and on disk; an agent that has ended is read first. Messages that can't be saved
 * now stay in the mailbox too, and are not queued twice.
 */
export async function takeMail(
  conversation: Conversation,
  agentId: string,
): Promise<readonly QueuedMessage[]> {
  const { file, deps } = conversation
  const name = conversation.agents.state(agentId)?.name ?? null
  return deps.mailbox.read({
    agentId,
    mailboxes: name === null ? [agentId] : [agentId, name],
    async unknown(messageIds) {
      const known = await conversation.withAgent(agentId, (agent) => agent.transcript.messageIds)
      return known.ok ? messageIds.filter((id) => !known.value.has(id) && !file.queue.has(id)) : null
    },
    accept: async (messages) => {
      for (const message of messages) file.queue.add(message)
      return (await file.save()).ok
    },
    failed: (text) =>
      conversation.agents.get(agentId)?.agent?.emit({ type: 'notice', level: 'warning', text }),
  })
}
