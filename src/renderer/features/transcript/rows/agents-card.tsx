/** The agents that one message started, with their current state and their reports. */
import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { isClockRunning } from '../../../../shared/events/lifecycle.ts'
import { type AgentState, isLive, needsUser } from '../../../../shared/state/agent-state.ts'
import { FAN_OUT, fanOutOf } from '../../../../shared/state/fan-out.ts'
import { useConversation, useNamesake } from '../../../stores/conversation-store.ts'
import { agentStyle, BADGE_ICONS } from '../../../ui/agent-style.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Dot } from '../../../ui/dot.tsx'
import { useNow } from '../../../ui/machine.ts'
import { agentElapsed, agentText, badgesOf, displayName, markOf } from '../../../ui/text/agent-text.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { reportedBy } from '../../../ui/text/external-agent-text.ts'
import { estimateText, formatDuration, formatTokens } from '../../../ui/text/format.ts'
import { useFold, useSurroundings } from '../surroundings.ts'
import { TextPieces } from './long-text.tsx'

interface AgentsCardProps {
  /** The row's key, under which the fold state is stored. */
  readonly rowKey: string
  readonly toolUseIds: readonly string[]
  /** The error messages of failed calls. */
  readonly failures: Readonly<Record<string, string>>
  /** Whether the transcript continues after the calls. A call without an agent then started none. */
  readonly past: boolean
}

export const AgentsCard = memo(function AgentsCard({ rowKey, toolUseIds, failures, past }: AgentsCardProps) {
  const agents = useConversation(
    useShallow((state) =>
      toolUseIds.map((toolUseId) => state.agents.get(state.childrenByToolUse.get(toolUseId) ?? '')),
    ),
  )
  const isBranch = useConversation(({ record }) => record?.branchOf !== undefined)
  const none = isBranch ? 'Worked in the original conversation.' : 'This call started no agent.'
  const started = agents.filter((agent) => agent !== undefined)
  return (
    // Not a landmark: several cards have the same figures.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      role="group"
      aria-label={`Started agents: ${summaryOf(started)}`}
      className="overflow-hidden rounded-md border border-line bg-bg-1"
    >
      <header className="flex flex-wrap justify-between gap-x-4 border-line border-b px-2.5 py-1.5 text-fg-2 text-sm">
        <span>{toolUseIds.length === 1 ? '1 agent started' : `${toolUseIds.length} agents started`}</span>
        <span>{summaryOf(started)}</span>
        {started.filter(isLive).length > FAN_OUT && <Estimate />}
      </header>
      <ul className="py-0.5">
        {agents.map((agent, index) =>
          agent === undefined ? (
            <li
              key={toolUseIds[index]}
              className="px-2.5 py-1 pl-[30px] text-fg-2 text-sm"
              data-selectable=""
            >
              {failures[toolUseIds[index] ?? ''] ?? (past ? none : 'Starting…')}
            </li>
          ) : (
            <AgentLine key={agent.id} agent={agent} rowKey={rowKey} />
          ),
        )}
      </ul>
    </div>
  )
})

/** What all agents at work will still spend. */
function Estimate() {
  const text = useConversation(({ agents }) => {
    const fanOut = fanOutOf(agents.values())
    return fanOut === null ? null : estimateText(fanOut)
  })
  return text === null ? null : <span className="basis-full">Estimate: {text} more</span>
}

function AgentLine({ agent, rowKey }: { readonly agent: AgentState; readonly rowKey: string }) {
  const { openAgent } = useSurroundings()
  const [open, toggle] = useFold(`${rowKey}:${agent.id}`)
  const now = useNow(isClockRunning(agent))
  const elapsed = formatDuration(agentElapsed(agent, now))
  const hasReport = agent.endedAt !== null && agent.report.trim() !== ''
  const name = displayName(agent)
  const [title, more] = useNamesake(agent.id) ? [agent.task, name] : [name, agent.task]
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
            <span className="block truncate">
              <bdi>{title}</bdi>{' '}
              {outside.map(({ kind, text, meaning }) => (
                <span key={kind} className="inline-block translate-y-px">
                  <Badge compact icon={BADGE_ICONS[kind]} text={text} meaning={meaning} />
                </span>
              ))}{' '}
              <span className="text-fg-2">
                — <bdi>{more}</bdi>
              </span>
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
            {elapsed} · {reported.tokens ? formatTokens(agent.countedTokens) : '–'}
          </span>
        </button>
        {hasReport && (
          <button
            type="button"
            aria-expanded={open}
            aria-label={`${open ? 'Fold' : 'Show'} the report of ${name}`}
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

/** "1 done · 3 working · 1 waiting for you", without counts of zero. */
function summaryOf(agents: readonly AgentState[]): string {
  const counts = new Map<string, number>()
  for (const agent of agents) {
    const group = groupOf(agent)
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  return GROUPS.filter((group) => counts.has(group))
    .map((group) => `${counts.get(group)} ${group}`)
    .join(' · ')
}

const GROUPS = [
  'done',
  'working',
  'queued',
  'paused',
  'waiting for you',
  'failed',
  'stopped',
  'interrupted',
] as const

function groupOf(agent: AgentState): (typeof GROUPS)[number] {
  if (needsUser(agent)) return 'waiting for you'
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
