/** The state of a message at its receivers: queued, delivered, read, answered, or not delivered. */
import { Check, CheckCheck, CircleAlert, Clock, Inbox, type LucideIcon, Reply } from 'lucide-react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { LoggedMessage, MessageReceiver, ReceiptState } from '../../../shared/state/message-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { type Fate, fateOf } from './board.ts'
import { Party } from './party.tsx'

interface Look {
  readonly icon: LucideIcon
  readonly text: string
  readonly meaning: string
  /** The color of the icon. */
  readonly color: string
}

export const RECEIPTS: Readonly<Record<ReceiptState, Look>> = {
  answered: {
    icon: Reply,
    text: 'answered',
    meaning: 'The agent has read it and has written back.',
    color: 'text-ok',
  },
  read: {
    icon: CheckCheck,
    text: 'read',
    meaning: 'The agent has worked on since it got it.',
    color: 'text-ok',
  },
  delivered: {
    icon: Check,
    text: 'delivered',
    meaning: 'The agent has it and has not worked on since.',
    color: 'text-fg-2',
  },
  queued: {
    icon: Clock,
    text: 'queued',
    meaning: 'The agent gets it in its next turn.',
    color: 'text-fg-2',
  },
  ended: {
    icon: CircleAlert,
    text: 'not delivered',
    meaning: 'The agent ended before it got it, and gets it when it is resumed.',
    color: 'text-bad',
  },
  refused: {
    icon: CircleAlert,
    text: 'not deliverable',
    meaning: 'The agent never gets it.',
    color: 'text-bad',
  },
  mailbox: {
    icon: Inbox,
    text: 'kept in mailbox',
    meaning: 'No agent has this name. One that starts under it gets it.',
    color: 'text-fg-2',
  },
}

/** From the best to the worst. */
const ORDER: readonly ReceiptState[] = [
  'answered',
  'read',
  'delivered',
  'queued',
  'mailbox',
  'ended',
  'refused',
]

/** The state of a message with one receiver. */
export function OneReceipt({ receiver }: { readonly receiver: MessageReceiver }) {
  const note = useConversation(({ agents }) => noteOf(receiver, agents.get(receiver.to)))
  const { icon: Icon, text, meaning, color } = RECEIPTS[receiver.delivery]
  return (
    <span title={meaning} className="inline-flex min-w-0 items-center gap-1 text-fg-1 text-xs">
      <Icon size={12} aria-hidden="true" className={classNames('shrink-0', color)} />
      <span className={isBad(receiver.delivery) ? 'text-bad' : ''}>
        {text}
        {note !== null && `: ${note}`}
      </span>
    </span>
  )
}

/** The state of a message to all at each receiver: those without a note share a line. */
export function Receipts({ receivers }: Pick<LoggedMessage, 'receivers'>) {
  return (
    <ul
      aria-label={readByText(receivers)}
      className="mt-1 flex min-w-0 flex-wrap gap-x-4 gap-y-1 rounded-sm border border-line bg-bg-1 px-2.5 py-1.5 text-xs"
    >
      {ORDER.map((state) => {
        const those = receivers.filter(({ delivery }) => delivery === state)
        return those.length === 0 ? null : <Group key={state} state={state} receivers={those} />
      })}
    </ul>
  )
}

interface GroupProps {
  readonly state: ReceiptState
  readonly receivers: readonly MessageReceiver[]
}

function Group({ state, receivers }: GroupProps) {
  const { icon: Icon, text, meaning, color } = RECEIPTS[state]
  return (
    <li className="flex min-w-0 max-w-full items-baseline gap-1.5" title={meaning}>
      <Icon size={12} aria-hidden="true" className={classNames('shrink-0 translate-y-0.5', color)} />
      <span className={classNames('shrink-0', isBad(state) ? 'text-bad' : 'text-fg-2')}>{text}</span>
      <span className="flex min-w-0 flex-wrap gap-x-2.5 text-fg-1">
        {receivers.map((receiver) => (
          <Receiver key={receiver.to} receiver={receiver} />
        ))}
      </span>
    </li>
  )
}

function Receiver({ receiver }: { readonly receiver: MessageReceiver }) {
  const note = useConversation(({ agents }) => noteOf(receiver, agents.get(receiver.to)))
  return (
    <span className="inline-flex min-w-0 max-w-full items-baseline gap-1">
      <Party id={receiver.to} />
      {note !== null && <span className="min-w-0 text-fg-2">({note})</span>}
    </span>
  )
}

/** "Read by 5 of 7 receivers". */
export function readByText(receivers: LoggedMessage['receivers']): string {
  const read = receivers.filter(({ delivery }) => delivery === 'read' || delivery === 'answered').length
  return `Read by ${read} of ${count(receivers.length, 'receiver')}`
}

/** The states of the newest message of a thread, with how many receivers have each: for one line of a list. */
export function ReceiptCounts({ receivers }: Pick<LoggedMessage, 'receivers'>) {
  const states = ORDER.filter((state) => receivers.some(({ delivery }) => delivery === state))
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-fg-2 text-xs">
      {states.map((state) => {
        const { icon: Icon, text, color } = RECEIPTS[state]
        const amount = receivers.filter(({ delivery }) => delivery === state).length
        return (
          <span key={state} className="inline-flex items-center gap-0.5" title={`${amount} ${text}`}>
            <Icon size={12} role="img" aria-label={text} className={color} />
            {receivers.length > 1 && amount}
          </span>
        )
      })}
    </span>
  )
}

const isBad = (state: ReceiptState): boolean => state === 'ended' || state === 'refused'

/** Why a message has not arrived yet, or never does; null: nothing needs to be said. */
function noteOf({ delivery, reason }: MessageReceiver, agent: AgentState | undefined): string | null {
  if (delivery === 'refused') return reason?.replace(/\.$/, '') ?? null
  if (delivery === 'ended') return 'has ended, gets it when resumed'
  if (delivery !== 'queued' || agent === undefined) return null
  return NOTES[fateOf(agent)] ?? null
}

const NOTES: Partial<Record<Fate, string>> = {
  'after-answer': 'once you answer its request',
  'when-continued': 'paused, gets it when continued',
  kept: 'its worker does not answer',
}
