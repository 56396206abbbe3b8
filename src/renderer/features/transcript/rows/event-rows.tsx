/** What happened to the agent: answers to its questions, retries, notices, its end. */
import {
  Ban,
  Check,
  CircleAlert,
  CirclePause,
  Info,
  type LucideIcon,
  RotateCw,
  TriangleAlert,
} from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { AgentState } from '../../../../shared/agent-state.ts'
import type { PromptRow as PromptRowData, TranscriptRow } from '../../../../shared/transcript-rows.ts'
import { agentElapsed } from '../../../stores/agent-words.ts'
import { useAgent, useConversation } from '../../../stores/conversation-store.ts'
import { limitWords } from '../../../stores/limit-reached.ts'
import { useConversationLimits } from '../../../stores/limits-store.ts'
import { useNow } from '../../../stores/use-now.ts'
import { classNames } from '../../../ui/class-names.ts'
import { count, formatDuration } from '../../../ui/format.ts'
import { VisibleText } from '../../../ui/visible-text.tsx'
import { useSurroundings } from '../surroundings.ts'
import { useFold } from '../use-fold.ts'

type RowOf<K extends TranscriptRow['kind']> = Extract<TranscriptRow, { kind: K }>

/** One line of what happened, with its sign. */
export function QuietLine({
  icon: Icon,
  bad,
  children,
}: {
  icon: LucideIcon
  bad?: boolean
  children: ReactNode
}) {
  return (
    <div className="grid grid-cols-[13px_minmax(0,1fr)] items-baseline gap-2 px-2 text-fg-2 text-sm">
      <Icon
        size={12}
        strokeWidth={1.75}
        aria-hidden="true"
        className={classNames('translate-y-px', bad && 'text-bad')}
      />
      <div className="min-w-0" data-selectable="">
        {children}
      </div>
    </div>
  )
}

const DECISIONS = {
  'allow-once': 'Allowed once',
  'allow-always': 'Always allowed',
  deny: 'Denied',
  withdrawn: 'No longer asked',
} as const

/** An answered question. One that waits is drawn by its card, not here. */
export const AnsweredRow = memo(function AnsweredRow({ row }: { readonly row: PromptRowData }) {
  if (row.decision === null) return null
  const denied = row.decision === 'deny'
  return (
    <QuietLine icon={denied ? Ban : row.decision === 'withdrawn' ? CirclePause : Check}>
      {DECISIONS[row.decision]}: {row.subject.action}{' '}
      <code className="font-mono text-fg-1 text-xs">
        <VisibleText>{firstLineOf(row.subject.text)}</VisibleText>
      </code>
      {row.words !== null && row.words !== '' && (
        <span className="block whitespace-pre-wrap text-fg-1 wrap-anywhere">“{row.words}”</span>
      )}
    </QuietLine>
  )
})

function firstLineOf(text: string): string {
  const line = text.split('\n')[0] ?? ''
  return line.length > 120 || line.length < text.length ? `${line.slice(0, 120)} …` : line
}

/** A request that got no message: counts down while the next attempt is waited for. */
export const RetryRow = memo(function RetryRow({ row }: { readonly row: RowOf<'retry'> }) {
  const { agentId } = useSurroundings()
  const agent = useAgent(agentId)
  const waits = row.retryAt !== null && agent?.retry?.at === row.retryAt
  const now = useNow(waits)
  const seconds = row.retryAt === null ? 0 : Math.max(0, Math.ceil((row.retryAt - now) / 1000))
  const attempt = row.attempt + 1
  return (
    <QuietLine icon={row.retryAt === null ? CircleAlert : RotateCw} bad={row.retryAt === null}>
      <span className="text-fg-1">{row.failure.message}</span>{' '}
      <span className="tabular-nums">
        {row.retryAt === null
          ? 'It is not tried again.'
          : waits && seconds > 0
            ? `Attempt ${attempt} in ${seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)}.`
            : waits
              ? `Attempt ${attempt} starts now.`
              : `Attempt ${attempt} was made.`}
      </span>
    </QuietLine>
  )
})

const NOTICE_ICONS = { info: Info, warning: TriangleAlert, error: CircleAlert } as const

/** What the program has to say at this place. Only its first paragraph until it is opened. */
export const NoticeRow = memo(function NoticeRow({ row }: { readonly row: RowOf<'notice'> }) {
  const [open, toggle] = useFold(row.key)
  const end = row.text.indexOf('\n\n')
  const first = end === -1 ? row.text : row.text.slice(0, end)
  return (
    <QuietLine icon={NOTICE_ICONS[row.level]} bad={row.level === 'error'}>
      <span className={classNames('whitespace-pre-wrap wrap-anywhere', row.level !== 'info' && 'text-fg-1')}>
        {open ? row.text : first}
      </span>
      {end !== -1 && (
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="ml-1.5 text-fg-1 underline decoration-fg-3 underline-offset-2 hover:decoration-current"
        >
          {open ? 'Show less' : 'Show more'}
        </button>
      )}
    </QuietLine>
  )
})

/** The end of a run: quiet where all went well, plain about what to do where it did not. */
export const EndedRow = memo(function EndedRow({ row }: { readonly row: RowOf<'ended'> }) {
  const { agentId } = useSurroundings()
  const agent = useAgent(agentId)
  const limit = useLimitWords(agent, row)
  switch (row.status) {
    case 'completed':
      return (
        <QuietLine icon={limit === null ? Check : TriangleAlert}>
          {limit === null ? 'Done' : `Stopped at ${limit}, and was asked for its report so far`}
          {/* Its figures are those of now: they say nothing about a run that it has gone on from. */}
          {agent !== undefined &&
            row.at === agent.endedAt &&
            ` · ${count(agent.turn, 'turn')} · ${formatDuration(agentElapsed(agent, row.at))}`}
        </QuietLine>
      )
    case 'failed':
      return (
        <Ending title="This agent failed.">
          {limit !== null && `It was stopped at ${limit}. `}
          {row.failure?.message ?? 'It gave no reason.'} What it did until then is kept: send it a message to
          let it try again from here.
        </Ending>
      )
    case 'stopped':
      return (
        <QuietLine icon={CirclePause}>
          Stopped{limit === null ? '' : ` at ${limit}`}. Send it a message to let it go on from here.
        </QuietLine>
      )
    case 'interrupted':
      return (
        <Ending title="Interrupted: the program ended while this agent worked.">
          Nothing it said is lost. A command that ran then may or may not have finished. Send it a message to
          let it go on from here.
        </Ending>
      )
  }
})

/** With the amounts as they are now; null where it ended at no limit. */
function useLimitWords(agent: AgentState | undefined, row: RowOf<'ended'>): string | null {
  const conversationLimits = useConversationLimits()
  const { reachedLimit, limitOf } = row
  return useConversation(({ agents }) =>
    agent === undefined
      ? null
      : limitWords({ ...agent, reachedLimit, limitOf }, { agents, conversationLimits }),
  )
}

function Ending({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div
      data-selectable=""
      className="grid grid-cols-[13px_minmax(0,1fr)] gap-2 rounded-md border border-bad/40 bg-bad/6 px-2.5 py-2 text-sm"
    >
      <CircleAlert size={13} strokeWidth={1.75} aria-hidden="true" className="translate-y-[3px] text-bad" />
      <div className="min-w-0">
        <p className="font-medium text-fg-0">{title}</p>
        <p className="whitespace-pre-wrap text-fg-1 wrap-anywhere">{children}</p>
      </div>
    </div>
  )
}
