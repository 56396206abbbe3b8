/**
 * The agents that have neither a panel nor a tile, as counts: "12 queued", "3 done". A cell of the tiles, or a line below the
 * panels where there are no tiles. A count opens the tiles of its agents below.
 */
import { ChevronRight } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { agentTitle, useConversation } from '../../stores/conversation-store.ts'
import { Dot } from '../../ui/dot.tsx'
import { classNames } from '../../ui/text/class-names.ts'

type Group = 'more' | 'queued' | 'finished'

interface FoldedAgentsProps {
  /** Agents at work for which there is no tile. */
  readonly more: readonly string[]
  readonly queued: readonly string[]
  readonly finished: readonly string[]
  /** The group whose tiles are shown. */
  readonly open: Group | null
  readonly onToggle: (group: Group) => void
  readonly isCell: boolean
}

export function FoldedAgentsView({ open, onToggle, isCell, ...groups }: FoldedAgentsProps) {
  const shown = GROUPS.filter((group) => groups[group].length > 0)
  return (
    <div
      className={classNames(
        isCell
          ? 'flex min-h-[4.5rem] flex-col justify-evenly bg-bg-1'
          : 'flex shrink-0 items-stretch divide-x divide-line border-line border-t bg-bg-1',
      )}
    >
      {shown.map((group) => (
        <GroupButton
          key={group}
          group={group}
          agentIds={groups[group]}
          isOpen={open === group}
          onToggle={() => onToggle(group)}
          hasNames={!isCell || shown.length < 3}
        />
      ))}
    </div>
  )
}

const GROUPS = ['more', 'queued', 'finished'] as const

interface GroupButtonProps {
  readonly group: Group
  readonly agentIds: readonly string[]
  readonly isOpen: boolean
  readonly onToggle: () => void
  /** Whether there is room for the names of the agents. */
  readonly hasNames: boolean
}

function GroupButton({ group, agentIds, isOpen, onToggle, hasNames }: GroupButtonProps) {
  const { counts, names } = useConversation(
    useShallow(({ agents }) => summaryOf(agentIds, { agents, group })),
  )
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      title={names}
      className="flex min-w-0 flex-1 items-center gap-2 px-2.5 py-1 text-left text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
    >
      <span className="grid [--agent:var(--ok)]">
        <Dot status={group === 'queued' ? 'queued' : group === 'more' ? 'running' : 'completed'} />
      </span>
      <span className="flex min-w-0 flex-1 items-baseline gap-2">
        <span className="shrink-0 font-semibold text-fg-0">{counts}</span>
        {hasNames && <span className="min-w-0 truncate text-fg-2">{names}</span>}
      </span>
      <ChevronRight
        size={12}
        aria-hidden="true"
        className={classNames('shrink-0 text-fg-2', isOpen && 'rotate-90')}
      />
    </button>
  )
}

/** Names that a long list shows; the tooltip has no more either. */
const MOST_NAMES = 20

function summaryOf(
  agentIds: readonly string[],
  { agents, group }: { readonly agents: ReadonlyMap<string, AgentState>; readonly group: Group },
): { readonly counts: string; readonly names: string } {
  const all = agentIds.flatMap((id) => agents.get(id) ?? [])
  const names = all
    .slice(0, MOST_NAMES)
    .map((agent) => agentTitle(agent, agents))
    .join(' · ')
  return { counts: countsOf(all, group), names: all.length > MOST_NAMES ? `${names} …` : names }
}

function countsOf(all: readonly AgentState[], group: Group): string {
  if (group !== 'finished') return `${all.length} ${group}`
  const done = all.filter((agent) => agent.status === 'completed' && agent.reachedLimit === null).length
  const other = all.length - done
  return [done > 0 && `${done} done`, other > 0 && `${other} stopped`].filter(Boolean).join(' · ')
}
