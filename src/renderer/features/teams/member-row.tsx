/** One agent of a team: what it does, and where it runs. Renders when the agent or its worker's heartbeat changes. */
import { Crown, FlaskConical, HeartPulse, PanelRight } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import {
  ACTION_LABELS,
  doWith,
  SAVE_AS_CASE,
  saveAsCase,
  useOfferedActions,
  workingSubagents,
} from '../../stores/agent-actions.ts'
import { useAgent, useAgentName, useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { usePresence } from '../../stores/teams-and-workers.ts'
import { ACTION_ICONS, agentStyle, BACKING_ICONS } from '../../ui/agent-style.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dot } from '../../ui/dot.tsx'
import { ContextMenu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Meter } from '../../ui/meter.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import {
  agentText,
  backingBadge,
  backingMeaning,
  markOf,
  workerPlace,
  workerProblem,
} from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { Lasted } from '../../ui/text/times.tsx'
import { writeInTeam } from './teams-store.ts'

interface MemberRowProps {
  readonly id: string
  readonly agentId: string
  readonly isLeader: boolean
  /** Whether it left the team, or the team has ended. */
  readonly hasLeft: boolean
  readonly selected: boolean
  readonly onSelect: (agentId: string) => void
  readonly onOpen: (agentId: string) => void
}

export const MemberRow = memo(function MemberRow(props: MemberRowProps) {
  const { id, agentId, isLeader, hasLeft, selected, onSelect, onOpen } = props
  const agent = useAgent(agentId)
  const name = useAgentName(agentId)
  const offered = useOfferedActions(agentId)
  if (agent === undefined) return null
  const badge = backingBadge(agent)
  return (
    <ContextMenu
      area={
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it handles the keys
        <div
          id={id}
          role="option"
          aria-selected={selected}
          tabIndex={-1}
          onClick={() => onSelect(agentId)}
          onDoubleClick={() => onOpen(agentId)}
          style={agentStyle(agent.definition.color)}
          className={classNames(
            'grid grid-cols-[14px_minmax(0,1fr)_auto] items-start gap-x-2 rounded-md px-2 py-1.5 text-sm outline-none',
            selected
              ? 'bg-bg-3 text-fg-0 group-focus-visible/list:ring-2 group-focus-visible/list:ring-accent'
              : 'text-fg-1 hover:bg-bg-2',
          )}
        >
          <Dot status={markOf(agent)} className="mt-[5px] justify-self-center" />
          <span className="flex min-w-0 items-center gap-1.5">
            <span className="min-w-0 font-medium">
              <AgentNameLine name={name} />
            </span>
            {isLeader && <Badge compact icon={Crown} text="leader" meaning="The leader of the team." />}
          </span>
          <Badge icon={BACKING_ICONS[badge]} text={badge} meaning={backingMeaning(agent)} />
          <Activity agent={agent} hasLeft={hasLeft} />
          {isLeader ? <AtOnce /> : <Place agent={agent} />}
        </div>
      }
    >
      <MenuItem icon={PanelRight} keys="Enter" onSelect={() => onOpen(agentId)}>
        {agent.parentId === null ? 'Show the conversation' : 'Open panel'}
      </MenuItem>
      {offered.map((action) => (
        <MenuItem
          key={action}
          icon={ACTION_ICONS[action]}
          danger={action === 'stop'}
          onSelect={() => (action === 'write' ? writeInTeam(agentId) : doWith(agentId, action))}
        >
          {ACTION_LABELS[action].label}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem icon={FlaskConical} onSelect={() => saveAsCase(agentId)}>
        {SAVE_AS_CASE}
      </MenuItem>
    </ContextMenu>
  )
})

function Activity({ agent, hasLeft }: { readonly agent: AgentState; readonly hasLeft: boolean }) {
  const text = activityText(agent, hasLeft)
  return (
    <span
      title={text}
      className={classNames(
        'col-span-2 col-start-2 block truncate text-xs',
        needsUser(agent) ? 'text-needs-you' : agent.status === 'failed' ? 'text-bad' : 'text-fg-2',
      )}
    >
      {text}
    </span>
  )
}

function activityText(agent: AgentState, hasLeft: boolean): string {
  const text = agentText(agent)
  if (isLive(agent) || agent.parentId === null) return text
  const resumes = agent.definition.oneShot ? '' : ' · a message resumes it'
  return agent.status === 'completed' && agent.reachedLimit === null
    ? `${hasLeft ? 'left the team' : 'ended'}${resumes}`
    : `${text}${resumes}`
}

/** How many subagents of the conversation work, of those that may. */
function AtOnce() {
  const working = useConversation(({ agents }) => workingSubagents(agents))
  const most = useSession(({ settings }) => settings.maxParallelAgents)
  return (
    <span className="col-span-2 col-start-2 text-fg-2 text-xs">
      <Share value={working} max={most} title="Subagents that work at once, and their limit">
        {working} of {most} at once
      </Share>
    </span>
  )
}

interface ShareProps {
  readonly value: number
  readonly max: number
  readonly title: string
  readonly children: ReactNode
}

/** A share as a bar and in words. */
function Share({ value, max, title, children }: ShareProps) {
  return (
    <span className="relative flex shrink-0 items-center gap-1.5 [--agent:var(--fg-2)]" title={title}>
      <span className="sr-only">{title}</span>
      <Meter of="agent" value={value} max={max} />
      {children}
    </span>
  )
}

/** The process or the machine, its load, and its last heartbeat. Nothing for an agent inside this program. */
function Place({ agent }: { readonly agent: AgentState }) {
  const presence = usePresence(agent.worker?.workerId)
  if (agent.backing === 'in-process') return null
  const place = workerPlace(agent)
  const problem = workerProblem(agent, presence)
  const isBad = agent.workerState === 'gone' || agent.workerState === 'silent'
  return (
    <span className="col-span-2 col-start-2 flex min-w-0 flex-col text-fg-2 text-xs">
      {place !== null && (
        <span className="flex min-w-0 items-center gap-x-1.5">
          <span className="min-w-0 flex-1 truncate" title={place}>
            {place}
          </span>
          {presence !== undefined && (
            <>
              <Share value={presence.load} max={1} title="The load of its machine">
                {presence.load > 1 ? 'over 100' : Math.round(presence.load * 100)} %
              </Share>
              <span className="flex shrink-0 items-center gap-0.5" title="Since its last heartbeat">
                <HeartPulse size={10} role="img" aria-label="last heartbeat" />
                <Lasted since={presence.lastSeenAt} />
              </span>
            </>
          )}
        </span>
      )}
      {problem !== null && <span className={classNames('text-pretty', isBad && 'text-bad')}>{problem}</span>}
    </span>
  )
}
