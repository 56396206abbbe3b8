/** Rows for events of the agent: answered permission requests, retries, notices, the end of a run. */
import {
  Ban,
  Check,
  CircleAlert,
  CirclePause,
  Copy,
  Info,
  type LucideIcon,
  RotateCw,
  TriangleAlert,
} from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { RequestRow as RequestRowData, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { readProgramFailure } from '../../../../shared/external-agents/program-failure.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import { ACTION_LABELS, actOn, useOfferedActions } from '../../../stores/agent-actions.ts'
import { openChanges } from '../../../stores/changes-store.ts'
import { useAgent, useConversation } from '../../../stores/conversation-store.ts'
import { useConversationLimits, useLimitPlace } from '../../../stores/limits-store.ts'
import { showNotice } from '../../../stores/overlay-store.ts'
import { IconButton, LinkButton } from '../../../ui/button.tsx'
import { useNow } from '../../../ui/machine.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { copyText } from '../../../ui/text/copy-text.ts'
import { formatDuration } from '../../../ui/text/format.ts'
import { limitReachedText } from '../../../ui/text/limit-text.ts'
import { CommandText } from '../../../ui/text/visible-text.tsx'
import { useFold, useSurroundings } from '../surroundings.ts'

type RowOf<K extends TranscriptRow['kind']> = Extract<TranscriptRow, { kind: K }>

/** One line with an icon. */
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
  withdrawn: 'Canceled',
} as const

/** The rules or the permission mode changed while the request waited. */
const DECISIONS_OF_RULES = { allow: 'Allowed without an answer', deny: 'Denied without an answer' } as const

/** An answered permission request. A pending request has its own card. */
export const AnsweredRow = memo(function AnsweredRow({ row }: { readonly row: RequestRowData }) {
  if (row.decision === null) return null
  const denied = row.decision === 'deny'
  return (
    <QuietLine icon={denied ? Ban : row.decision === 'withdrawn' ? CirclePause : Check}>
      {row.answeredBy === 'rules' ? DECISIONS_OF_RULES[denied ? 'deny' : 'allow'] : DECISIONS[row.decision]}:{' '}
      {row.subject.action}{' '}
      <code className="font-mono text-fg-1 text-xs">
        <CommandText>{firstLineOf(row.subject.text)}</CommandText>
      </code>
      {row.rule !== undefined && (
        <>
          {' '}
          by the rule{' '}
          <code className="font-mono text-fg-1 text-xs">
            <CommandText>{row.rule}</CommandText>
          </code>
        </>
      )}
      {row.feedback !== null && row.feedback !== '' && (
        <span dir="auto" className="block whitespace-pre-wrap text-fg-1 wrap-anywhere">
          “{row.feedback}”
        </span>
      )}
    </QuietLine>
  )
})

function firstLineOf(text: string): string {
  const line = text.split('\n')[0] ?? ''
  return line.length > 120 || line.length < text.length ? `${line.slice(0, 120)} …` : line
}

/** A failed API request, with a countdown to the next attempt. */
export const RetryRow = memo(function RetryRow({ row }: { readonly row: RowOf<'retry'> }) {
  const { agentId } = useSurroundings()
  const agent = useAgent(agentId)
  const waits = row.retryAt !== null && agent?.retry?.at === row.retryAt
  const now = useNow(waits)
  const seconds = row.retryAt === null ? 0 : Math.max(0, Math.ceil((row.retryAt - now) / 1000))
  const attempt = row.attempt + 1
  const canRetry = useOfferedActions(agentId).includes('retry')
  const place = useLimitPlace(agentId)
  return (
    <QuietLine icon={RotateCw}>
      <span className="text-fg-1">{row.failure.message}</span>{' '}
      <span className="tabular-nums">
        {/* The line below the transcript tells the end of a usage limit. */}
        {place !== null && waits
          ? null
          : waits && seconds > 0
            ? `Retrying in ${seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)}.`
            : waits
              ? 'Retrying now.'
              : row.retryAt !== null && agent?.limitedUntil === row.retryAt
                ? 'Not tried again yet.'
                : `Retried (${attempt}).`}
      </span>
      {waits && canRetry && (
        <button
          type="button"
          onClick={(event) => event.detail < 2 && void actOn(agentId, 'retry')}
          className="ml-1.5 text-fg-1 underline decoration-fg-3 underline-offset-2 hover:decoration-current"
        >
          {ACTION_LABELS.retry.label}
        </button>
      )}
    </QuietLine>
  )
})

const NOTICE_ICONS = { info: Info, warning: TriangleAlert, error: CircleAlert } as const

/** A notice from the program. Folded, it shows the first paragraph. */
export const NoticeRow = memo(function NoticeRow({ row }: { readonly row: RowOf<'notice'> }) {
  const { path } = row
  const [open, toggle] = useFold(row.key)
  const end = row.text.indexOf('\n\n')
  const first = end === -1 ? row.text : row.text.slice(0, end)
  return (
    <QuietLine icon={NOTICE_ICONS[row.level]} bad={row.level === 'error'}>
      <span
        dir="auto"
        className={classNames('whitespace-pre-wrap wrap-anywhere', row.level !== 'info' && 'text-fg-1')}
      >
        {open ? row.text : first}
      </span>
      {path !== undefined && (
        <span className="ml-1.5">
          <LinkButton onClick={() => openChanges(path)}>Show changes</LinkButton>
        </span>
      )}
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

/** The end of a run, with the next step if the run did not complete. */
export const EndedRow = memo(function EndedRow({ row }: { readonly row: RowOf<'ended'> }) {
  const { agentId } = useSurroundings()
  const agent = useAgent(agentId)
  const limit = useLimitText(agent, row)
  // Only the program that started it can continue it.
  const advice = agent !== undefined && agent.child !== null ? '' : ' Message it to resume.'
  switch (row.status) {
    case 'completed':
      // The foot of the panel tells of the latest end.
      return limit === null && row.at === agent?.endedAt ? null : (
        <QuietLine icon={limit === null ? Check : TriangleAlert}>
          {limit === null ? 'Done' : `Stopped at ${limit}, with a partial report`}
        </QuietLine>
      )
    case 'failed':
      return (
        <Ending title="Agent failed.">
          {limit !== null && `Stopped at ${limit}. `}
          <FailureText text={row.failure?.message ?? 'No reason was given.'} /> Its work so far is kept.
        </Ending>
      )
    case 'stopped':
      return (
        <QuietLine icon={CirclePause}>
          Stopped{limit === null ? '' : ` at ${limit}`}.{advice}
        </QuietLine>
      )
    case 'interrupted':
      return (
        <Ending title="Interrupted: Troupe quit while this agent was working.">
          Its transcript is complete. A command that was running may not have finished.{advice}
        </Ending>
      )
  }
})

/** The reached limit with the current amounts; null if the run did not end at a limit. */
function useLimitText(agent: AgentState | undefined, row: RowOf<'ended'>): string | null {
  const conversationLimits = useConversationLimits()
  const { reachedLimit, limitOf } = row
  return useConversation(({ agents }) =>
    agent === undefined
      ? null
      : limitReachedText({ ...agent, reachedLimit, limitOf }, { agents, conversationLimits }),
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
        <div className="whitespace-pre-wrap text-fg-1 wrap-anywhere">{children}</div>
      </div>
    </div>
  )
}

/** Why an agent failed. What its program wrote last is set as terminal text, and the command to try can be copied. */
function FailureText({ text }: { readonly text: string }) {
  const { what, output, tryCommand } = readProgramFailure(text)
  return (
    <>
      <span>{what}</span>
      {output !== '' && (
        <>
          <span className="mt-1.5 block text-fg-2 text-xs">Its last output</span>
          <code className="mt-0.5 block max-h-40 overflow-y-auto whitespace-pre-wrap rounded-[5px] bg-bg-0 px-2 py-1.5 font-mono text-fg-1 text-xs wrap-anywhere">
            {makeVisible(output)}
          </code>
        </>
      )}
      {tryCommand !== null && (
        <>
          <span className="mt-1.5 block text-fg-2 text-xs">To find out more, run it in a terminal</span>
          <span className="mt-0.5 mb-1.5 flex items-center gap-2 rounded-[5px] bg-bg-0 py-0.5 pr-1 pl-2">
            <code className="min-w-0 flex-1 break-all font-mono text-fg-0 text-xs">
              <CommandText>{tryCommand}</CommandText>
            </code>
            <IconButton icon={Copy} label="Copy command" onClick={() => void copyCommand(tryCommand)} />
          </span>
        </>
      )}
    </>
  )
}

async function copyCommand(text: string): Promise<void> {
  const copied = await copyText(text)
  showNotice(
    copied
      ? { level: 'info', text: 'Command copied.' }
      : { level: 'error', text: 'The system did not allow copying.' },
  )
}
