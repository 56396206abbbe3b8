/**
 * The agents that one message started: a line of counts and a tick for each agent. The list of agents with their reports
 * opens below, since the tree and the stage show the same agents.
 */
import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { nameText } from '../../../../shared/state/agent-names.ts'
import { type AgentState, isLive, needsUser } from '../../../../shared/state/agent-state.ts'
import { FAN_OUT, fanOutOf } from '../../../../shared/state/fan-out.ts'
import { useAgentName, useConversation } from '../../../stores/conversation-store.ts'
import { agentStyle, BADGE_ICONS } from '../../../ui/agent-style.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Dot } from '../../../ui/dot.tsx'
import { AgentNameLine } from '../../../ui/text/agent-name.tsx'
import { agentText, badgesOf, markOf } from '../../../ui/text/agent-text.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { reportedBy } from '../../../ui/text/external-agent-text.ts'
import { count, estimateText, formatTokens } from '../../../ui/text/format.ts'
import { Worked } from '../../../ui/text/times.tsx'
import { useFold, useSurroundings } from '../surroundings.ts'
import { TextPieces } from './long-text.tsx'

interface AgentsCardProps {
  /** The row's key, under which the fold state is stored. */
  readonly rowKey: string
  readonly toolUseIds: readonly string[]
  /** Why calls started no agent. */
  readonly failures: Readonly<Record<string, string>>
  /** Those of the failed calls that a limit or the user kept from starting an agent. */
  readonly notStarted: Extract<TranscriptRow, { kind: 'agents' }>['notStarted']
  /** Whether the transcript continues after the calls. A call without an agent then started none. */
  readonly past: boolean
}

/** With more agents, the counts stand on a line of their own below the ticks. */
const MANY = 8

export const AgentsCard = memo(function AgentsCard(props: AgentsCardProps) {
  const { rowKey, toolUseIds } = props
  const agents = useConversation(
    useShallow((state) =>
      toolUseIds.flatMap((toolUseId) => state.agents.get(state.childrenByToolUse.get(toolUseId) ?? '') ?? []),
    ),
  )
  const missing = useMissing(props)
  const [open, toggle] = useFold(`${rowKey}:list`)
  const [lone] = agents
  const isLone = agents.length === 1 && toolUseIds.length === 1 && lone !== undefined
  return (
    // Not a landmark: several cards have the same figures.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      role="group"
      aria-label={`Started agents: ${textOfCounts(countsOf(agents))}`}
      className="overflow-hidden rounded-md border border-line bg-bg-1"
    >
      {!isLone && agents.length > 0 && <Summary agents={agents} isOpen={open} onToggle={toggle} />}
      {(isLone || open) && (
        <ul className={classNames('py-0.5', !isLone && 'border-line border-t')}>
          {agents.map((agent) => (
            <AgentLine key={agent.id} agent={agent} rowKey={rowKey} />
          ))}
        </ul>
      )}
      {missing.length > 0 && (
        <ul className={classNames('py-1', agents.length > 0 && 'border-line border-t')}>
          {missing.map((text) => (
            <li key={text} className="px-2.5 py-0.5 text-fg-2 text-sm" data-selectable="">
              {text}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
})

interface SummaryProps {
  readonly agents: readonly AgentState[]
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** "4 agents   1 working · 1 done · 2 need you" above the ticks. */
function Summary({ agents, isOpen, onToggle }: SummaryProps) {
  const counts = countsOf(agents)
  const isMany = agents.length > MANY
  const beside = isMany ? counts.filter(({ group }) => group === 'needs you') : counts
  const below = isMany ? counts.filter(({ group }) => group !== 'needs you') : []
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="group/summary block w-full px-2.5 py-2 text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
    >
      <span className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="flex items-center gap-1 font-semibold text-fg-0">
          {count(agents.length, 'agent')}
          <ChevronRight
            size={12}
            aria-hidden="true"
            className={classNames(
              'text-fg-2 transition-transform duration-100',
              isOpen
                ? 'rotate-90'
                : 'opacity-0 group-hover/summary:opacity-100 group-focus-visible/summary:opacity-100',
            )}
          />
        </span>
        <Counts counts={beside} />
      </span>
      <span aria-hidden="true" className="mt-1.5 flex gap-[3px]">
        {agents.map((agent) => (
          <span
            key={agent.id}
            style={agentStyle(agent.definition.color)}
            className={classNames('h-[3px] min-w-px flex-1 rounded-[2px]', tickOf(agent))}
          />
        ))}
      </span>
      {below.length > 0 && (
        <span className="mt-1.5 block">
          <Counts counts={below} />
        </span>
      )}
      {agents.filter(isLive).length > FAN_OUT && <Estimate />}
    </button>
  )
}

function Counts({ counts }: { readonly counts: readonly GroupCount[] }) {
  return (
    <span className="text-fg-2">
      {counts.map(({ group, amount }, index) => (
        <span key={group}>
          {index > 0 && ' · '}
          <span
            className={group === 'needs you' ? 'text-needs-you' : group === 'failed' ? 'text-bad' : undefined}
          >
            {countText(group, amount)}
          </span>
        </span>
      ))}
    </span>
  )
}

/** The tick of an agent: its color while it works and when it is done. */
function tickOf(agent: AgentState): string {
  switch (groupOf(agent)) {
    case 'needs you':
      return 'bg-needs-you'
    case 'failed':
    case 'interrupted':
      return 'bg-bad'
    case 'queued':
    case 'stopped':
      return 'bg-line-strong'
    default:
      return 'bg-agent'
  }
}

/** What all agents at work will still spend. */
function Estimate() {
  const text = useConversation(({ agents }) => {
    const fanOut = fanOutOf(agents.values())
    return fanOut === null ? null : estimateText(fanOut)
  })
  return text === null ? null : <span className="mt-0.5 block text-fg-2">Estimate: {text} more</span>
}

/** One line for each reason why calls have no agent: "201 not started: limit of 99". */
function useMissing({ toolUseIds, ...why }: AgentsCardProps): readonly string[] {
  return useConversation(
    useShallow(({ agents, childrenByToolUse, record }) => {
      const isBranch = record?.branchOf !== undefined
      const amounts = new Map<string, number>()
      for (const id of toolUseIds) {
        if (agents.has(childrenByToolUse.get(id) ?? '')) continue
        const reason = reasonOf(id, { ...why, isBranch })
        amounts.set(reason, (amounts.get(reason) ?? 0) + 1)
      }
      return [...amounts].map(([reason, amount]) =>
        amount === 1 ? capitalized(reason) : `${amount} ${reason}`,
      )
    }),
  )
}

type Why = Pick<AgentsCardProps, 'failures' | 'notStarted' | 'past'> & { readonly isBranch: boolean }

function reasonOf(id: string, { failures, notStarted, past, isBranch }: Why): string {
  const limit = notStarted[id]
  if (limit === null) return 'not started: you declined'
  if (limit !== undefined)
    return `not started: limit of ${limit.of === 'conversation' ? limit.most - 1 : limit.most}`
  const failure = failures[id]
  if (failure !== undefined) return `not started: ${failure}`
  if (!past) return 'starting…'
  return isBranch ? 'worked in the original conversation' : 'not started'
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function AgentLine({ agent, rowKey }: { readonly agent: AgentState; readonly rowKey: string }) {
  const { openAgent } = useSurroundings()
  const [open, toggle] = useFold(`${rowKey}:${agent.id}`)
  const hasReport = agent.endedAt !== null && agent.report.trim() !== ''
  const name = useAgentName(agent.id)
  const badges = badgesOf(agent)
  const outside = badges.filter(({ kind }) => kind === 'acp' || kind === 'acp-child')
  const special = badges.filter(({ kind }) => kind === 'fork' || kind === 'background')
  const reported = reportedBy(agent)
  return (
    <li style={agentStyle(agent.definition.color)}>
      <div className="grid grid-cols-[minmax(0,1fr)_24px] items-center pr-1 hover:bg-bg-2">
        <button
          type="button"
          disabled={openAgent === null}
          onClick={() => openAgent?.(agent.id)}
          className="grid min-w-0 grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 py-[5px] pl-2.5 text-left text-sm focus-visible:-outline-offset-2"
        >
          <Dot status={markOf(agent)} className="justify-self-center" />
          <span className="min-w-0 text-fg-1">
            <span className="flex min-w-0 items-center gap-1.5">
              <AgentNameLine name={name} />
              {outside.map(({ kind, text, meaning }) => (
                <Badge key={kind} compact icon={BADGE_ICONS[kind]} text={text} meaning={meaning} />
              ))}
              <span className="sr-only">, {groupOf(agent)}, </span>
            </span>
            {special.length > 0 && (
              <span className="block truncate text-fg-2 text-xs" title={special[0]?.meaning}>
                {special.map(({ kind }) => (kind === 'fork' ? 'a fork' : 'in the background')).join(', ')} ·{' '}
                {agentText(agent)}
              </span>
            )}
          </span>
          <span className="font-mono text-fg-2 text-xs tabular-nums">
            <Worked agent={agent} /> · {reported.tokens ? formatTokens(agent.countedTokens) : '–'}
          </span>
        </button>
        {hasReport && (
          <button
            type="button"
            aria-expanded={open}
            aria-label={`${open ? 'Fold' : 'Show'} the report of ${nameText(name)}`}
            onClick={toggle}
            className="grid size-6 place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0"
          >
            <ChevronRight
              size={13}
              aria-hidden="true"
              className={classNames('transition-transform duration-100', open && 'rotate-90')}
            />
          </button>
        )}
      </div>
      {open && hasReport && (
        <div className="mx-2.5 mb-2 ml-[30px] border-agent border-l-2 pl-2.5 text-sm" data-selectable="">
          <TextPieces rowKey={`${rowKey}:${agent.id}`} text={agent.report} format="markdown" />
        </div>
      )}
    </li>
  )
}

interface GroupCount {
  readonly group: Group
  readonly amount: number
}

/** How many agents are in each group, without groups of none. */
function countsOf(agents: readonly AgentState[]): readonly GroupCount[] {
  const counts = new Map<Group, number>()
  for (const agent of agents) {
    const group = groupOf(agent)
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  return GROUPS.flatMap((group) => {
    const amount = counts.get(group)
    return amount === undefined ? [] : { group, amount }
  })
}

/** "3 working · 1 done · 2 need you". */
const textOfCounts = (counts: readonly GroupCount[]) =>
  counts.map(({ group, amount }) => countText(group, amount)).join(' · ')

const countText = (group: Group, amount: number) =>
  group === 'needs you' ? `${amount} ${amount === 1 ? 'needs' : 'need'} you` : `${amount} ${group}`

const GROUPS = [
  'working',
  'queued',
  'paused',
  'done',
  'failed',
  'stopped',
  'interrupted',
  'needs you',
] as const
type Group = (typeof GROUPS)[number]

function groupOf(agent: AgentState): Group {
  if (needsUser(agent)) return 'needs you'
  switch (agent.status) {
    case 'completed':
      return agent.reachedLimit === null ? 'done' : 'stopped'
    case 'queued':
    case 'paused':
    case 'failed':
    case 'stopped':
    case 'interrupted':
      return agent.status
    case 'running':
    case 'waiting':
      return 'working'
  }
}
