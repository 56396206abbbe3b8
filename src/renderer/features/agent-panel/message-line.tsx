/** The line to write to an agent. It opens while the panel is pointed at or holds the focus. */
import { X } from 'lucide-react'
import { type KeyboardEvent, memo, type Ref, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { QueuedMessage } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/notice-store.ts'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'

export interface MessageLineProps {
  readonly agentId: string
  readonly conversationId: string
  readonly name: string
  /** Whether it works: then it gets the message with its next turn. */
  readonly live: boolean
  /** Escape in the line gives the focus back to the panel. */
  readonly onLeave: () => void
  readonly ref: Ref<HTMLInputElement>
}

export const MessageLine = memo(function MessageLine(props: MessageLineProps) {
  const { agentId, conversationId, name, live, onLeave, ref } = props
  const [text, setText] = useState('')
  const [sending, setSending] = useState(false)
  const queued = useConversation(
    useShallow((state) => state.queued.filter((message) => message.agentId === agentId)),
  )

  const send = () => {
    const words = text.trim()
    if (words === '' || sending) return
    setSending(true)
    void command('conversation.send', { conversationId, agentId, text: words, images: [] }).then((answer) => {
      setSending(false)
      // What could not be sent stays in the line.
      if (answer.ok) setText('')
      else showFailure(answer.failure)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') send()
    else if (event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      className={classNames(
        'grid shrink-0 transition-[grid-template-rows] duration-100 ease-(--ease)',
        text === '' && queued.length === 0
          ? 'grid-rows-[0fr] group-focus-within/panel:grid-rows-[1fr] group-hover/panel:grid-rows-[1fr] group-hover/panel:delay-200'
          : 'grid-rows-[1fr]',
      )}
    >
      <div className="min-h-0 overflow-hidden">
        {queued.map((message) => (
          <QueuedLine key={message.messageId} message={message} conversationId={conversationId} />
        ))}
        <div className="flex h-8 items-center gap-2 border-line border-t px-2.5 focus-within:border-line-strong">
          <input
            ref={ref}
            aria-label={`Message ${name}`}
            placeholder={`Message ${name}…`}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            className="min-w-0 flex-1 bg-transparent text-fg-0 text-sm outline-none"
          />
          <span className="rounded-[4px] border border-line px-1 font-medium font-mono text-2xs text-fg-2 whitespace-nowrap">
            {live ? 'queued for its next turn' : 'lets it go on'}
          </span>
        </div>
      </div>
    </div>
  )
})

function QueuedLine(props: { readonly message: QueuedMessage; readonly conversationId: string }) {
  const { message, conversationId } = props
  const takeBack = () => {
    void command('conversation.unqueue', { conversationId, messageId: message.messageId }).then((answer) => {
      if (!answer.ok) showFailure(answer.failure)
    })
  }
  return (
    <div className="flex h-[26px] items-center gap-2 border-line border-t px-2.5 text-sm">
      <span className="text-fg-2">Queued</span>
      <span className="min-w-0 flex-1 truncate text-fg-1">{message.text}</span>
      <IconButton icon={X} label="Take this message back" onClick={takeBack} />
    </div>
  )
}
