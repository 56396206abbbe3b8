/** The message field of a panel. It always has its room, so that nothing in the panel moves under the pointer. */
import { X } from 'lucide-react'
import { type KeyboardEvent, memo, type Ref, useId, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { QueuedMessagePreview } from '../../../shared/state/conversation-snapshot.ts'
import { command } from '../../bridge.ts'
import { useAgent, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import {
  attachText,
  changeDraft,
  draftKeyNow,
  draftOf,
  lineDraftKey,
  useDraft,
  writeTo,
} from '../../stores/draft-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { mayResume } from '../../stores/resume-question.ts'
import { useSession } from '../../stores/session-store.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { mayTakeBack, queuedText } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { isForProgram, isOutside } from '../../ui/text/program-text.ts'

import { LineCompletions, useLineCompletion } from './line-completions.tsx'
import { ProgramOptions } from './program-options.tsx'

interface MessageLineProps {
  readonly agentId: string
  readonly name: string
  /** Returns the focus to the panel, on Escape. */
  readonly onLeave: () => void
  readonly ref: Ref<HTMLInputElement>
}

export const MessageLine = memo(function MessageLine(props: MessageLineProps) {
  const { agentId, name, onLeave, ref } = props
  const key = lineDraftKey(agentId)
  const { text } = useDraft(key)
  const [sending, setSending] = useState(false)
  const agent = useAgent(agentId)
  const queued = useConversation(
    useShallow((state) => state.queued.filter((message) => message.agentId === agentId)),
  )
  const listId = useId()
  const completion = useLineCompletion(agent, text, (next) => changeDraft(key, { text: next }))
  if (agent === undefined) return null
  const { conversationId } = agent
  const hasList = completion.options.length > 0

  const send = async () => {
    const message = text.trim()
    if (message === '' || sending) return
    setSending(true)
    // A text that begins with a space is no command, as in the composer.
    const isCommand = readSlashLine(text) !== null && !isForProgram(agent, text)
    const expanded = isCommand ? await expandFor(agent, message) : message
    const answer =
      expanded !== null && (await mayResume(agent))
        ? await command('conversation.send', {
            ...{ conversationId, agentId, text: expanded, images: [] },
            ...(isCommand && { typed: message }),
          })
        : null
    setSending(false)
    // Text that was not sent, or was typed meanwhile, stays in the field.
    if (answer?.ok && draftOf(key).text === text) changeDraft(key, { text: '' })
    else if (answer?.ok === false) showFailure(answer.failure)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (completion.takes(event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    if (event.key === 'Enter') void send()
    else if (event.key === 'Escape') onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className="relative shrink-0">
      <LineCompletions id={listId} completion={completion} label={`Commands of ${name}`} />
      {queued.map((message) => (
        <QueuedLine key={message.messageId} message={message} conversationId={conversationId} />
      ))}
      <div className="@container flex h-8 items-center gap-2 border-line border-t px-2.5 focus-within:border-line-strong">
        <input
          dir="auto"
          ref={ref}
          data-message-line=""
          aria-label={`Message ${name}`}
          aria-busy={sending}
          {...(hasList && {
            role: 'combobox',
            'aria-expanded': true,
            'aria-controls': listId,
            'aria-activedescendant': `${listId}-${completion.active}`,
          })}
          placeholder={`Message ${name}…`}
          value={text}
          onChange={(event) => changeDraft(key, { text: event.target.value })}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            if (takeLongPaste(agentId, event.clipboardData.getData('text/plain'))) event.preventDefault()
          }}
          className="min-w-0 flex-1 truncate bg-transparent text-fg-0 text-sm outline-none"
        />
        <span
          className={classNames(
            isOutside(agent) && '@max-[34rem]:hidden',
            'rounded-[4px] border border-line px-1 font-medium font-mono text-2xs text-fg-2 whitespace-nowrap opacity-0 group-focus-within/panel:opacity-100 group-hover/panel:opacity-100',
          )}
        >
          {deliveryOf(agent)}
        </span>
        <ProgramOptions agent={agent} />
      </div>
    </div>
  )
})

/** What the agent receives for a command; null: nothing may be sent, and the user was told why. */
async function expandFor({ conversationId, id: agentId }: AgentState, line: string): Promise<string | null> {
  const folder = useConversation.getState().record?.folder ?? useSession.getState().folder?.path
  if (folder === undefined) return line
  const agent = { conversationId, agentId }
  const answer = await command('slash.expand', { folder, line, agent, approved: [] })
  if (!answer.ok) {
    const { type, message } = answer.failure
    const next = type === 'unknown' ? ' To send it as text, begin it with a space.' : ''
    showFailure({ message: `${message}${next}` })
    return null
  }
  if (answer.value.kind === 'expanded') return answer.value.command.text
  const commands = answer.value.commands.join('\n')
  showFailure({
    message: `The command runs in your shell:\n${commands}\nSend it from the composer, where you can allow it once.`,
  })
  return null
}

/** Long text has no room here: it goes to the composer, which then writes to this agent. */
function takeLongPaste(agentId: string, text: string): boolean {
  const taken = attachText(draftKeyNow(), text)
  if (taken === 'short') return false
  if (taken === 'attached') writeTo(agentId)
  else showFailure({ message: taken.problem })
  return true
}

function deliveryOf(agent: AgentState): string {
  if (!isLive(agent)) return 'resumes it'
  return agent.pauseWanted ? 'delivered on resume' : 'queued for its next turn'
}

function QueuedLine(props: { readonly message: QueuedMessagePreview; readonly conversationId: string }) {
  const { message, conversationId } = props
  const takeBack = () => {
    void command('conversation.unqueue', { conversationId, messageId: message.messageId }).then((answer) => {
      if (!answer.ok) showFailure(answer.failure)
    })
  }
  return (
    <div className="flex h-[26px] items-center gap-2 border-line border-t px-2.5 text-sm">
      <span className="shrink-0 text-fg-2">
        Queued
        <WriterName message={message} />
      </span>
      <span className="min-w-0 flex-1 truncate text-fg-1">{queuedText(message)}</span>
      {mayTakeBack(message) && <IconButton icon={X} label="Remove message" onClick={takeBack} />}
    </div>
  )
}

/** The sender, unless the user wrote the message. */
function WriterName({ message: { from, sender } }: { readonly message: QueuedMessagePreview }) {
  const title = useAgentTitle(sender)
  if (from === 'user') return null
  return ` from ${title ?? (from === 'agent' ? 'an agent' : 'Troupe')}`
}
