/** The message field of a panel. It always has its room, so that nothing in the panel moves under the pointer. */
import { X } from 'lucide-react'
import { type KeyboardEvent, memo, type Ref, useEffect, useId, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
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
import { IconButton } from '../../ui/button.tsx'
import { mayTakeBack, queuedText } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import {
  type ExternalAgentCommand,
  isExternal,
  isForExternalAgent,
  matchingCommands,
} from '../../ui/text/external-agent-text.ts'
import { ProgramOptions } from './program-strip.tsx'

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
    const isCommand = readSlashLine(text) !== null && !isForExternalAgent(agent, text)
    const expanded = isCommand ? await expandFor(agent, message) : message
    const answer =
      expanded !== null && (await mayResume(agent))
        ? await command('conversation.send', {
            ...{ conversationId, agentId, content: expanded },
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
            isExternal(agent) && '@max-[34rem]:hidden',
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

/** The commands of the agent's program above the message field, while a command is typed there. */
interface LineCompletion {
  readonly options: readonly ExternalAgentCommand[]
  readonly active: number
  readonly pick: (command: ExternalAgentCommand) => void
  readonly choose: (index: number) => void
  /** Whether the key was for the list. */
  readonly takes: (event: KeyboardEvent) => boolean
}

/** `onPick` gets the new text of the field. */
function useLineCompletion(
  agent: AgentState | undefined,
  text: string,
  onPick: (text: string) => void,
): LineCompletion {
  const [choice, setChoice] = useState({ text: '', index: 0 })
  const [dismissed, setDismissed] = useState(false)
  const found = matchingCommands(agent, text)
  if (dismissed && found.length === 0) setDismissed(false)
  const options = dismissed ? [] : found
  const active = choice.text === text ? Math.min(choice.index, options.length - 1) : 0
  const choose = (index: number) => setChoice({ text, index })
  const pick = ({ name }: ExternalAgentCommand) => onPick(`/${name} `)
  const takes = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const current = options[active]
    if (current === undefined) return false
    if (key === 'ArrowDown') choose((active + 1) % options.length)
    else if (key === 'ArrowUp') choose((active + options.length - 1) % options.length)
    else if (key === 'Escape') setDismissed(true)
    // A whole name is sent by Enter; another one is completed first.
    else if ((key === 'Tab' && !shiftKey) || (key === 'Enter' && text !== `/${current.name}`)) pick(current)
    else return false
    return true
  }
  return { options, active, pick, choose, takes }
}

interface LineCompletionsProps {
  readonly id: string
  readonly completion: LineCompletion
  readonly label: string
}

function LineCompletions({ id, completion, label }: LineCompletionsProps) {
  const { options, active, pick, choose } = completion
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView?.({ block: 'nearest' })
  }, [active])
  if (options.length === 0) return null
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className="absolute inset-x-2 bottom-9 z-20 max-h-48 overflow-y-auto rounded-md border border-line bg-bg-2 p-1 shadow-popup"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the message field handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the message field
        <div
          key={option.name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          onMouseMove={() => index !== active && choose(index)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(option)}
          className={classNames(
            'flex min-w-0 items-center gap-2 rounded-sm px-2 py-1 text-sm',
            index === active ? 'bg-bg-3 text-fg-0' : 'text-fg-1',
          )}
        >
          <span className="max-w-[70%] shrink-0 truncate font-mono text-xs">
            /{makeVisible(option.name)}
            {option.hint !== null && <span className="text-fg-2"> {makeVisible(option.hint)}</span>}
          </span>
          <span className="min-w-0 flex-1 truncate text-fg-2 text-xs">{makeVisible(option.description)}</span>
        </div>
      ))}
    </div>
  )
}
