/** The threads of messages, the one with the newest message first. One tab stop; the arrow keys select. */
import { Megaphone } from 'lucide-react'
import { type KeyboardEvent, memo, useId, useMemo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { RefusedCopy } from '../../../shared/events/conversation.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import {
  type LoggedMessage,
  type MessageThread,
  messageLog,
  threadsOf,
  USER,
} from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { Moment } from '../../ui/text/times.tsx'
import { PartyDot, PartyName } from './party.tsx'
import { ReceiptCounts } from './receipts.tsx'
import { peopleIn, usePartyName } from './teams-store.ts'

interface ThreadListProps {
  readonly threads: readonly MessageThread[]
  readonly shown: MessageThread | null
  readonly onSelect: (key: string) => void
}

export function ThreadList({ threads, shown, onSelect }: ThreadListProps) {
  const id = useId()
  const index = threads.findIndex(({ key }) => key === shown?.key)
  const total = threads.reduce((sum, { messages }) => sum + messages.length, 0)
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
    <div className="flex h-full min-h-0 flex-col">
      <h2 className="side-heading flex h-8 shrink-0 items-center justify-between gap-2 px-3">
        Messages <span className="font-medium font-mono tracking-normal">{total}</span>
      </h2>
      <div
        role="listbox"
        aria-label="Threads"
        aria-activedescendant={shown === null ? undefined : `${id}-${shown.key}`}
        aria-keyshortcuts="J K"
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="group/list min-h-0 flex-1 overflow-y-auto pb-1.5 outline-none focus-visible:-outline-offset-2"
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
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it handles the keys
    <div
      id={id}
      role="option"
      aria-selected={selected}
      tabIndex={-1}
      onClick={() => onSelect(thread.key)}
      className={classNames(
        'grid min-w-0 grid-cols-[1.25rem_minmax(0,1fr)_auto] items-center gap-x-2 px-3 py-1 text-sm',
        selected
          ? 'bg-bg-3 text-fg-0 group-focus-visible/list:ring-2 group-focus-visible/list:ring-accent group-focus-visible/list:ring-inset'
          : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      <ThreadMark thread={thread} />
      <ThreadTitle thread={thread} />
      <span className="justify-self-end text-fg-2 text-xs">
        {last?.at != null && <Moment at={last.at} />}
      </span>
      <span className="col-start-2 min-w-0 truncate text-fg-2 text-xs">
        {last !== undefined && <LastMessage message={last} isLone={thread.messages.length === 1} />}
      </span>
      <span className="justify-self-end">
        <ReceiptCounts receivers={stateMessage(thread)?.receivers ?? []} />
      </span>
    </div>
  )
})

/** Its newest message to others than the user: answers to the user have no state worth a mark. */
function stateMessage({ messages, toAll }: MessageThread): LoggedMessage | undefined {
  return messages.findLast((message) => message.kind !== 'answer' && (message.toAll || !toAll))
}

function ThreadMark({ thread }: { readonly thread: MessageThread }) {
  const [first = USER, second] = thread.parties
  if (thread.toAll)
    return <Megaphone size={13} aria-hidden="true" className="justify-self-center text-fg-2" />
  return (
    <span aria-hidden="true" className="relative h-3.5">
      <span className="absolute top-0 left-0 flex">
        <PartyDot id={first} />
      </span>
      {second !== undefined && (
        <span className="absolute top-1.5 left-1.5 flex">
          <PartyDot id={second} />
        </span>
      )}
    </span>
  )
}

export function ThreadTitle({ thread }: { readonly thread: MessageThread }) {
  const [first = USER, second = USER] = thread.parties
  return (
    <span className="flex min-w-0 items-center">
      <span className="min-w-0 shrink-[99]">
        <PartyName id={first} />
      </span>
      {thread.toAll ? (
        <span className="shrink-0 whitespace-pre"> to all</span>
      ) : (
        <>
          <span className="shrink-0 whitespace-pre text-fg-2"> · </span>
          <span className="min-w-0">
            <PartyName id={second} />
          </span>
        </>
      )}
    </span>
  )
}

function LastMessage({ message, isLone }: { readonly message: LoggedMessage; readonly isLone: boolean }) {
  const name = usePartyName(message.from)
  const line = makeVisible(message.text.trim().split('\n', 1)[0] ?? '')
  return <span dir="auto">{isLone ? line : `${name}: ${line}`}</span>
}

// The threads of messages that the view shows. Derived again only when a message arrives or changes its state.

const NO_REFUSALS: readonly RefusedCopy[] = []

/** `team` null: the threads of all agents and mailboxes. */
export function useThreads(team: Team | null): readonly MessageThread[] {
  const queued = useConversation((state) => state.queued)
  const refusals = useConversation((state) => state.record?.refusals ?? NO_REFUSALS)
  // Agents change with each event; their messages rarely do.
  const parts = useConversation(
    useShallow((state) =>
      [...state.agents.values()].flatMap(({ received, kept, unread, turn, status }) => [
        received,
        kept,
        unread,
        turn > 0,
        status,
      ]),
    ),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: `parts` stands for the agents
  return useMemo(() => {
    const { agents } = useConversation.getState()
    const messages = messageLog({ agents, queued, refusals })
    if (team === null) return threadsOf(messages)
    const people = new Set([USER, ...peopleIn(team, agents)])
    return threadsOf(messages.filter((message) => isAmong(message, people)))
  }, [parts, queued, refusals, team])
}

/** Messages to a name without an agent belong to the team of their author. */
function isAmong({ from, receivers }: LoggedMessage, people: ReadonlySet<string>): boolean {
  const { agents } = useConversation.getState()
  return people.has(from) && receivers.some(({ to }) => people.has(to) || !agents.has(to))
}
