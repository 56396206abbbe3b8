/** The threads of messages, and the messages of one thread with their state at each receiver. */
import { ArrowLeftRight, Megaphone } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useId, useMemo, useRef } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import {
  type LoggedMessage,
  type MessageDelivery,
  type MessageThread,
  messageLog,
  threadsOf,
  USER,
} from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatAgo } from '../../ui/text/format.ts'
import { peopleIn, usePartyColor, usePartyName } from './teams-store.ts'

interface ThreadListProps {
  readonly threads: readonly MessageThread[]
  readonly shown: MessageThread | null
  readonly onSelect: (key: string) => void
}

export function ThreadList({ threads, shown, onSelect }: ThreadListProps) {
  const id = useId()
  const index = threads.findIndex(({ key }) => key === shown?.key)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const to = { ArrowDown: index + 1, j: index + 1, ArrowUp: index - 1, k: index - 1, Home: 0, End: 1e9 }[
      event.key
    ]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const thread = threads[Math.max(0, Math.min(threads.length - 1, to))]
    if (thread === undefined) return
    onSelect(thread.key)
    document.getElementById(`${id}-${thread.key}`)?.scrollIntoView?.({ block: 'nearest' })
  }
  return (
    <div
      role="listbox"
      aria-label="Threads"
      aria-activedescendant={shown === null ? undefined : `${id}-${shown.key}`}
      aria-keyshortcuts="J K"
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="group/list flex h-full min-h-0 flex-col gap-0.5 overflow-y-auto p-1.5 outline-none focus-visible:-outline-offset-2"
    >
      {threads.map((thread) => (
        <ThreadRow
          key={thread.key}
          id={`${id}-${thread.key}`}
          thread={thread}
          selected={thread.key === shown?.key}
          onSelect={onSelect}
        />
      ))}
    </div>
  )
}

interface ThreadRowProps {
  readonly id: string
  readonly thread: MessageThread
  readonly selected: boolean
  readonly onSelect: (key: string) => void
}

const ThreadRow = memo(function ThreadRow({ id, thread, selected, onSelect }: ThreadRowProps) {
  const last = thread.messages.at(-1)
  const waiting = thread.messages.filter(isWaiting).length
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it handles the keys
    <div
      id={id}
      role="option"
      aria-selected={selected}
      tabIndex={-1}
      onClick={() => onSelect(thread.key)}
      className={classNames(
        'flex min-w-0 flex-col rounded-md px-2 py-1 text-sm',
        selected ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5">
        <ThreadTitle thread={thread} />
        <span className="ml-auto shrink-0 text-fg-2 text-xs">
          {waiting > 0 ? `${waiting} waiting` : last?.at != null && <Ago at={last.at} />}
        </span>
      </span>
      <span dir="auto" className="truncate text-fg-2 text-xs">
        {makeVisible(firstLine(last?.text ?? ''))}
      </span>
    </div>
  )
})

function ThreadTitle({ thread }: { readonly thread: MessageThread }) {
  const [first = USER, second = USER] = thread.parties
  if (thread.toAll)
    return (
      <span className="flex min-w-0 items-center gap-1">
        <Megaphone size={12} aria-hidden="true" className="shrink-0 text-fg-2" />
        <PartyName id={first} />
        <span className="shrink-0">to all</span>
      </span>
    )
  return (
    <span className="flex min-w-0 items-center gap-1">
      <PartyName id={first} />
      <ArrowLeftRight size={10} aria-label="and" className="shrink-0 text-fg-2" />
      <PartyName id={second} />
    </span>
  )
}

function PartyName({ id }: { readonly id: string }) {
  const name = usePartyName(id)
  const color = usePartyColor(id)
  return (
    <span className="flex min-w-0 items-center gap-1" style={agentStyle(color ?? '')}>
      {color !== null && <span aria-hidden="true" className="size-1.5 shrink-0 rounded-full bg-agent" />}
      <span dir="auto" className="truncate" title={name}>
        {name}
      </span>
    </span>
  )
}

/** The messages of a thread. Stays at the end while new ones arrive, unless the user scrolled up. */
export function ThreadMessages({ thread }: { readonly thread: MessageThread }) {
  const area = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thread begins at its end
  useEffect(() => {
    atEnd.current = true
  }, [thread.key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message or its state changed
  useEffect(() => {
    const element = area.current
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight
  }, [thread.messages])
  return (
    <div
      ref={area}
      role="log"
      aria-label="Messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keys
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 24
      }}
      className="flex min-h-0 flex-1 flex-col gap-2.5 overflow-y-auto px-3 py-2 outline-none focus-visible:-outline-offset-2"
    >
      {thread.messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
    </div>
  )
}

const KINDS = { message: '', prompt: 'prompt', report: 'report' } as const

const Message = memo(function Message({ message }: { readonly message: LoggedMessage }) {
  const name = usePartyName(message.from)
  const color = usePartyColor(message.from)
  return (
    <article
      aria-label={`${name}${message.kind === 'message' ? '' : `, ${KINDS[message.kind]}`}`}
      style={agentStyle(color ?? '')}
      className={classNames(
        'flex min-w-0 flex-col gap-0.5 border-l-2 pl-2.5',
        color === null ? 'border-line-strong' : 'border-agent',
      )}
    >
      <span className="flex min-w-0 items-baseline gap-1.5 text-sm">
        <span dir="auto" className="truncate font-medium text-fg-0">
          {name}
        </span>
        {KINDS[message.kind] !== '' && (
          <span className="shrink-0 text-fg-2 text-xs">{KINDS[message.kind]}</span>
        )}
        <span className="ml-auto flex min-w-0 shrink-0 items-baseline gap-2 text-fg-2 text-xs">
          {message.at !== null && <Ago at={message.at} />}
          {!message.toAll && <OneDelivery delivery={message.receivers[0]?.delivery ?? 'queued'} />}
        </span>
      </span>
      <p dir="auto" data-selectable="" className="whitespace-pre-wrap break-words text-fg-1 text-sm">
        {makeVisible(message.text)}
      </p>
      {message.toAll && <Deliveries message={message} />}
    </article>
  )
})

const DELIVERY_TEXT: Readonly<Record<MessageDelivery, string>> = {
  queued: 'queued',
  delivered: 'delivered',
  read: 'read',
  mailbox: 'kept in mailbox',
}

const DELIVERY_CLASS: Readonly<Record<MessageDelivery, string>> = {
  queued: 'text-fg-2',
  delivered: 'text-fg-1',
  read: 'text-ok',
  mailbox: 'text-fg-2',
}

function OneDelivery({ delivery }: { readonly delivery: MessageDelivery }) {
  return <span className={DELIVERY_CLASS[delivery]}>{DELIVERY_TEXT[delivery]}</span>
}

/** The state of each copy of a message to all. */
function Deliveries({ message }: { readonly message: LoggedMessage }) {
  const read = message.receivers.filter(({ delivery }) => delivery === 'read').length
  return (
    <ul
      aria-label={`Read by ${read} of ${count(message.receivers.length, 'receiver')}`}
      className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-xs"
    >
      {message.receivers.map(({ to, delivery }) => (
        <li key={to} className="flex min-w-0 max-w-full gap-1 text-fg-2">
          <PartyName id={to} /> <OneDelivery delivery={delivery} />
        </li>
      ))}
    </ul>
  )
}

function isWaiting({ receivers }: LoggedMessage): boolean {
  return receivers.some(({ delivery }) => delivery === 'queued' || delivery === 'mailbox')
}

/** "now", "4m": renders alone as the time passes. */
function Ago({ at }: { readonly at: number }) {
  return <>{formatAgo(at, useNow(true))}</>
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}

// The threads of messages that the view shows. Derived again only when a message arrives or changes its state.

/** `team` null: the threads of all agents and mailboxes. */
export function useThreads(team: Team | null): readonly MessageThread[] {
  const queued = useConversation((state) => state.queued)
  // Agents change with each event; their messages rarely do.
  const parts = useConversation(
    useShallow((state) =>
      [...state.agents.values()].flatMap(({ received, kept, unread, turn }) => [
        received,
        kept,
        unread,
        turn > 0,
      ]),
    ),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: `parts` stands for the agents
  return useMemo(() => {
    const { agents } = useConversation.getState()
    const messages = messageLog(agents, queued)
    if (team === null) return threadsOf(messages)
    const people = new Set([USER, ...peopleIn(team, agents)])
    return threadsOf(messages.filter((message) => isAmong(message, people)))
  }, [parts, queued, team])
}

/** Messages to a name without an agent belong to the team of their author. */
function isAmong({ from, receivers }: LoggedMessage, people: ReadonlySet<string>): boolean {
  const { agents } = useConversation.getState()
  return people.has(from) && receivers.some(({ to }) => people.has(to) || !agents.has(to))
}
