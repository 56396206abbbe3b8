/** Messages that wait for a turn of their agent. The user can take back only their own messages. */
import { ArrowUp, Pencil, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { QueuedMessagePreview } from '../../../shared/state/conversation-snapshot.ts'
import { command } from '../../bridge.ts'
import { agentTitle, useAgent, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { IconButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { markOf, mayTakeBack, queuedText } from '../../ui/text/agent-text.ts'

interface QueuedMessagesProps {
  /** Puts a removed message back into the composer. */
  readonly onEdit: (message: QueuedMessagePreview) => void
}

export function QueuedMessages({ onEdit }: QueuedMessagesProps) {
  const queued = useConversation((state) => state.queued)
  const conversationId = useConversation((state) => state.conversationId)
  const mainAgentId = useConversation((state) => state.record?.mainAgentId)
  const list = useRef<HTMLUListElement>(null)
  const { length } = queued
  // What the user has just sent is in sight.
  useEffect(() => {
    if (length > 0 && list.current !== null) list.current.scrollTop = list.current.scrollHeight
  }, [length])
  if (length === 0 || conversationId === null) return null
  const sendNow = async ({ messageId }: QueuedMessagePreview) => {
    const answer = await command('conversation.sendNow', { conversationId, messageId })
    if (!answer.ok) showFailure(answer.failure)
  }
  const takeBack = async (message: QueuedMessagePreview, edit: boolean) => {
    const answer = await command('conversation.unqueue', { conversationId, messageId: message.messageId })
    if (!answer.ok) showFailure(answer.failure)
    else if (edit) onEdit({ ...message, text: answer.value.text })
  }
  return (
    <ul ref={list} aria-label="Queued messages" className="mb-2 flex max-h-40 flex-col gap-1 overflow-y-auto">
      {queued.map((message) => (
        <li
          key={message.messageId}
          className="flex items-center gap-2 rounded-md border border-line border-dashed bg-bg-2 py-0.5 pr-1 pl-2.5 text-sm"
        >
          <span className="flex shrink-0 items-center gap-1 text-fg-2 text-xs">
            queued
            <RecipientName agentId={message.agentId} />
            <Writer message={message} />
          </span>
          <span dir="auto" className="min-w-0 flex-1 truncate py-0.5 text-fg-1" title={queuedText(message)}>
            {queuedText(message)}
          </span>
          {mayTakeBack(message) && (
            <>
              {message.agentId === mainAgentId && (
                <IconButton
                  label="Send now"
                  hint="Send now: interrupts the agent"
                  icon={ArrowUp}
                  onClick={() => void sendNow(message)}
                />
              )}
              <IconButton label="Edit message" icon={Pencil} onClick={() => void takeBack(message, true)} />
              <IconButton label="Remove message" icon={X} onClick={() => void takeBack(message, false)} />
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The recipient; nothing for the main agent, which is the default. */
function RecipientName({ agentId }: { readonly agentId: string }) {
  const name = useConversation((state) => {
    const agent = state.agents.get(agentId)
    return agent === undefined || agent.parentId === null ? null : agentTitle(agent, state.agents)
  })
  return name === null ? null : <span>for {name}</span>
}

/** The sender, unless the user wrote the message. */
function Writer({ message: { from, sender } }: { readonly message: QueuedMessagePreview }) {
  const agent = useAgent(sender)
  const title = useAgentTitle(sender)
  if (from === 'user') return null
  if (agent === undefined) return <span>from {from === 'agent' ? (sender ?? 'an agent') : 'Troupe'}</span>
  return (
    <span className="flex items-center gap-1.5" style={agentStyle(agent.definition.color)}>
      from
      <Dot status={markOf(agent)} />
      <span className="text-fg-1">{title}</span>
    </span>
  )
}
