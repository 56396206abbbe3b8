/** The messages of one thread, with their state at each receiver. */
import { memo, useEffect, useRef } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { LoggedMessage, MessageThread, ReceiptState } from '../../../shared/state/message-log.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { Moment } from '../../ui/text/times.tsx'
import { PartyDot, PartyName } from './party.tsx'
import { OneReceipt, RECEIPTS, Receipts, readByText } from './receipts.tsx'
import { usePartyName } from './teams-store.ts'
import { ThreadTitle } from './thread-list.tsx'

/**
 * Stays at the end while new messages arrive, unless the user scrolled up. A thread to all begins at its newest message to
 * all, whose states are what the user looks for.
 */
export function ThreadMessages({ thread }: { readonly thread: MessageThread }) {
  const area = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thread begins anew
  useEffect(() => {
    const newest = [...(area.current?.querySelectorAll('[data-to-all]') ?? [])].at(-1)
    newest?.scrollIntoView?.({ block: 'start' })
    atEnd.current = newest === undefined
  }, [thread.key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message or its state changed
  useEffect(() => {
    const element = area.current
    if (element !== null && atEnd.current) element.scrollTop = element.scrollHeight
  }, [thread.messages])
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <div className="@container flex h-8 min-w-0 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-3 text-sm">
        <h2 className="min-w-0 font-semibold text-fg-0">
          <ThreadTitle thread={thread} />
        </h2>
        <span className="shrink-0 text-fg-2 text-xs">{count(thread.messages.length, 'message')}</span>
        <span className="flex-1" />
        <Legend />
      </div>
      <div
        ref={area}
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keys
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24
        }}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-3 py-2.5 outline-none focus-visible:-outline-offset-2"
      >
        {thread.messages.map((message) => (
          <Message key={message.id} message={message} isIndented={thread.toAll && !message.toAll} />
        ))}
      </div>
    </div>
  )
}

const EXPLAINED: readonly ReceiptState[] = ['queued', 'delivered', 'read', 'answered', 'ended']

/** The marks of the states, where there is room. */
function Legend() {
  return (
    <span
      aria-hidden="true"
      className="hidden shrink-0 items-center gap-3 text-fg-2 text-xs @min-[38rem]:flex"
    >
      {EXPLAINED.map((state) => {
        const { icon: Icon, text, meaning, color } = RECEIPTS[state]
        return (
          <span key={state} title={meaning} className="inline-flex items-center gap-1">
            <Icon size={12} className={color} /> {text}
          </span>
        )
      })}
    </span>
  )
}

const KINDS = { message: '', prompt: 'prompt', report: 'report', answer: 'answer' } as const

interface MessageProps {
  readonly message: LoggedMessage
  /** Whether it is an answer below a message to all. */
  readonly isIndented: boolean
}

const Message = memo(function Message({ message, isIndented }: MessageProps) {
  const name = usePartyName(message.from)
  const kind = KINDS[message.kind]
  const [receiver] = message.receivers
  return (
    <article
      aria-label={kind === '' ? name : `${name}, ${kind}`}
      data-to-all={message.toAll ? '' : undefined}
      className={classNames(
        'grid min-w-0 scroll-mt-2.5 grid-cols-[0.75rem_minmax(0,1fr)] gap-x-2.5',
        isIndented && 'ml-2 border-line border-l pl-4',
      )}
    >
      <span className="flex h-[1.3125rem] items-center">
        <PartyDot id={message.from} />
      </span>
      <div className="min-w-0">
        <div className="flex min-w-0 items-baseline gap-1.5 text-sm">
          <span className="min-w-0 font-medium text-fg-0">
            <PartyName id={message.from} />
          </span>
          {message.toAll && <span className="shrink-0 text-fg-2 text-xs">to all</span>}
          {kind !== '' && <span className="shrink-0 text-fg-2 text-xs">{kind}</span>}
          <span className="ml-auto flex min-w-0 shrink-0 items-center gap-2 text-fg-2 text-xs">
            {message.toAll
              ? readByText(message.receivers)
              : message.kind !== 'answer' && receiver !== undefined && <OneReceipt receiver={receiver} />}
            {message.at !== null && <Moment at={message.at} />}
          </span>
        </div>
        <p dir="auto" data-selectable="" className="whitespace-pre-wrap text-fg-0 text-md wrap-anywhere">
          {makeVisible(message.text)}
        </p>
        {message.toAll && <Receipts receivers={message.receivers} />}
      </div>
    </article>
  )
})
