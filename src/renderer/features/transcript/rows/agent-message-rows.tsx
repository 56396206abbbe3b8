/** Messages between agents, as each side sees them, and the end of a background agent. */

import { Check, CheckCheck, ChevronRight, Clock, type LucideIcon, Mail, Mailbox, Moon } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { reportIn, withoutFrame } from '../../../../shared/messages/text-of.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import {
  deliveryOf,
  type MessageDelivery,
  receiverOf,
  type SentMessage,
} from '../../../../shared/state/message-log.ts'
import { sentText } from '../../../../shared/transcript/transcript-rows.ts'
import {
  agentTitleNow,
  useAgent,
  useAgentTitle,
  useConversation,
} from '../../../stores/conversation-store.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { Dot } from '../../../ui/dot.tsx'
import { agentText, markOf } from '../../../ui/text/agent-text.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { CopyButton } from '../copy-button.tsx'
import { useFold, useSurroundings } from '../surroundings.ts'
import { ImageView } from './image-view.tsx'
import { TextPieces } from './long-text.tsx'
import { FoldedText } from './output-text.tsx'

type UserRow = Extract<TranscriptRow, { kind: 'user' }>

/** A message that this agent sent: receiver, text and delivery state. */
export const SentRow = memo(function SentRow({
  row,
  message,
}: {
  readonly row: ToolRow
  readonly message: SentMessage
}) {
  const receiver = useConversation((state) => receiverOf(state.agents, message.to))
  const delivery = useConversation((state) => deliveryOf(message, { queued: state.queued, receiver }))
  const text = sentText(row)
  return (
    <Card
      label={`Message to ${receiver === undefined ? message.to : agentTitleNow(receiver)}`}
      copied={text}
      head={
        <>
          <Mail size={12} strokeWidth={1.75} aria-hidden="true" className="text-agent" />
          To {receiver === undefined ? <Absent name={message.to} /> : <AgentLink agent={receiver} />}
        </>
      }
      end={<Delivery delivery={delivery} resumed={message.how === 'resumed'} />}
    >
      <FoldedText rowKey={row.key} text={text} />
    </Card>
  )
})

/** A message from another agent. */
export const FromAgentRow = memo(function FromAgentRow({ row }: { readonly row: UserRow }) {
  const sender = useAgent(row.sender)
  const text = withoutFrame(row.text)
  return (
    <Card
      label={`Message from ${sender === undefined ? 'another agent' : agentTitleNow(sender)}`}
      copied={text}
      head={
        <>
          <Mail size={12} strokeWidth={1.75} aria-hidden="true" />
          From{' '}
          {sender === undefined ? (
            <Absent name={row.sender ?? 'another agent'} />
          ) : (
            <AgentLink agent={sender} />
          )}
        </>
      }
    >
      <FoldedText rowKey={row.key} text={text} />
      {row.images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of one message never move
        <ImageView key={index} image={image} label={`Image ${index + 1}`} />
      ))}
    </Card>
  )
})

/** The end of a background agent, with its report folded. */
export const BackgroundEndRow = memo(function BackgroundEndRow({ row }: { readonly row: UserRow }) {
  const sender = useAgent(row.sender)
  const [open, toggle] = useFold(row.key)
  const text = reportIn(row.text)
  return (
    <Card
      label={`Background agent ${sender === undefined ? row.sender : agentTitleNow(sender)} ${endOf(sender, row.messageId)}`}
      copied={open ? text : null}
      head={
        <>
          <Moon size={12} strokeWidth={1.75} aria-hidden="true" />
          Background agent{' '}
          {sender === undefined ? <Absent name={row.sender ?? ''} /> : <AgentLink agent={sender} />}
          {endOf(sender, row.messageId)}
        </>
      }
      end={
        <button
          type="button"
          aria-expanded={open}
          aria-label={`${open ? 'Fold' : 'Show'} its report`}
          onClick={toggle}
          className="-mr-1.5 grid size-6 place-items-center rounded-sm hover:bg-bg-3 hover:text-fg-0"
        >
          <ChevronRight
            size={13}
            aria-hidden="true"
            className={classNames('transition-transform duration-100', open && 'rotate-90')}
          />
        </button>
      }
    >
      {open && (
        <div data-selectable="" className="pt-0.5 text-fg-1 text-sm">
          <TextPieces rowKey={row.key} text={text} format="markdown" />
        </div>
      )}
    </Card>
  )
})

function Card({
  label,
  head,
  end,
  copied,
  children,
}: {
  readonly label: string
  readonly head: ReactNode
  /** Shown at the right. */
  readonly end?: ReactNode
  /** The text for the copy button; null: no button. */
  readonly copied: string | null
  readonly children: ReactNode
}) {
  return (
    <section aria-label={label} className="group/message rounded-md border border-line px-2.5 py-1.5">
      <div className="flex min-h-[22px] items-start gap-2 text-fg-2 text-xs">
        <span className="flex min-h-[22px] min-w-0 flex-1 flex-wrap items-center gap-x-1.5 [&>svg]:shrink-0">
          {head}
        </span>
        {copied !== null && (
          <CopyButton
            text={copied}
            label="Copy message"
            className="opacity-0 focus-visible:opacity-100 group-hover/message:opacity-100"
          />
        )}
        {end !== undefined && <span className="flex h-[22px] shrink-0 items-center">{end}</span>}
      </div>
      {children}
    </section>
  )
}

/** An agent that is not in this conversation. */
function Absent({ name }: { readonly name: string }) {
  return <span className="truncate font-medium text-fg-1">{name}</span>
}

const DELIVERIES: Readonly<
  Record<MessageDelivery, { readonly icon: LucideIcon; readonly label: string; readonly meaning: string }>
> = {
  mailbox: {
    icon: Mailbox,
    label: 'in the mailbox',
    meaning: 'No agent has this name. The next agent with this name reads the message.',
  },
  queued: { icon: Clock, label: 'queued', meaning: 'Delivered with the agent’s next turn.' },
  delivered: {
    icon: Check,
    label: 'delivered',
    meaning: 'In the agent’s transcript. The agent has not answered since.',
  },
  read: { icon: CheckCheck, label: 'read', meaning: 'The agent has continued with the message.' },
}

function Delivery({ delivery, resumed }: { readonly delivery: MessageDelivery; readonly resumed: boolean }) {
  const { icon: Icon, label, meaning } = DELIVERIES[delivery]
  return (
    <span
      title={resumed ? `The message resumed the agent. ${meaning}` : meaning}
      className="flex items-center gap-1"
    >
      <Icon size={12} strokeWidth={1.75} aria-hidden="true" />
      {resumed ? `resumed it · ${label}` : label}
    </span>
  )
}

/** How the agent ended. After a resume, the earlier end is unknown, and the text is "ended". */
function endOf(agent: AgentState | undefined, messageId: string): string {
  if (agent === undefined || agent.endedAt === null || !messageId.endsWith(`-${agent.endedAt}`))
    return 'ended'
  if (agent.status === 'completed') return agent.reachedLimit === null ? 'completed' : 'ended at a limit'
  if (agent.status === 'failed') return 'failed'
  return agent.status === 'interrupted' ? 'was interrupted' : 'was stopped'
}

/** An agent’s name and color mark. A click shows the agent’s panel. */
function AgentLink({ agent }: { readonly agent: AgentState }) {
  const { openAgent } = useSurroundings()
  const name = useAgentTitle(agent.id) ?? ''
  return (
    <button
      type="button"
      disabled={openAgent === null}
      onClick={() => openAgent?.(agent.id)}
      title={`${name} (${agentText(agent)})`}
      style={agentStyle(agent.definition.color)}
      className="group/agent inline-flex min-w-0 items-center gap-1.5 rounded-sm px-1 font-medium text-fg-0 enabled:hover:bg-bg-3"
    >
      <Dot status={markOf(agent)} />
      <span className="truncate">
        {name}
        {agent.name !== null && agent.name !== name && (
          <span className="font-normal text-fg-1"> · {agent.name}</span>
        )}
      </span>
    </button>
  )
}
