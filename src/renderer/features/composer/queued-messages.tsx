/** Messages that wait until their agent has a turn for them. */
import { Pencil, X } from 'lucide-react'
import type { QueuedMessage } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { agentName } from '../../stores/agent-words.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/notice-store.ts'
import { IconButton } from '../../ui/icon-button.tsx'

interface QueuedMessagesProps {
  /** Puts a message that was taken back into the composer. */
  readonly onEdit: (message: QueuedMessage) => void
}

export function QueuedMessages({ onEdit }: QueuedMessagesProps) {
  const queued = useConversation((state) => state.queued)
  const conversationId = useConversation((state) => state.conversationId)
  if (queued.length === 0 || conversationId === null) return null
  const takeBack = async (message: QueuedMessage, edit: boolean) => {
    const answer = await command('conversation.unqueue', { conversationId, messageId: message.messageId })
    if (!answer.ok) showFailure(answer.failure)
    else if (edit) onEdit({ ...message, text: answer.value.text })
  }
  return (
    <ul aria-label="Queued messages" className="mb-2 flex max-h-40 flex-col gap-1 overflow-y-auto">
      {queued.map((message) => (
        <li
          key={message.messageId}
          className="flex items-center gap-2 rounded-md border border-line border-dashed bg-bg-2 py-0.5 pr-1 pl-2.5 text-sm"
        >
          <span className="shrink-0 text-fg-2 text-xs">
            queued
            <RecipientName agentId={message.agentId} />
          </span>
          <span className="min-w-0 flex-1 truncate text-fg-1" title={message.text}>
            {message.text}
          </span>
          <IconButton label="Edit this message" icon={Pencil} onClick={() => void takeBack(message, true)} />
          <IconButton label="Remove this message" icon={X} onClick={() => void takeBack(message, false)} />
        </li>
      ))}
    </ul>
  )
}

/** Whom it is for; nothing for the main agent, which is whom one usually speaks to. */
function RecipientName({ agentId }: { readonly agentId: string }) {
  const name = useConversation((state) => {
    const agent = state.agents.get(agentId)
    return agent === undefined || agent.parentId === null ? null : agentName(agent)
  })
  return name === null ? null : ` for ${name}`
}
