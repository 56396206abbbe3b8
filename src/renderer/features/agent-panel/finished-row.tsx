/** The finished agents, on one line. */

import { useShallow } from 'zustand/react/shallow'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { hasNamesake, useConversation } from '../../stores/conversation-store.ts'
import { displayName } from '../../ui/text/agent-text.ts'

interface FinishedRowProps {
  readonly agentIds: readonly string[]
  /** Whether the tiles of the agents are shown below. */
  readonly isOpen: boolean
  readonly onToggle: () => void
}

export function FinishedRow({ agentIds, isOpen, onToggle }: FinishedRowProps) {
  const { done, other, titles } = useConversation(
    useShallow(({ agents }) =>
      summaryOf(
        agentIds.flatMap((id) => agents.get(id) ?? []),
        agents,
      ),
    ),
  )
  const counts = [done > 0 && `${done} done`, other > 0 && `${other} stopped`].filter(Boolean).join(' · ')
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex w-full shrink-0 items-baseline gap-3 border-line border-t bg-bg-1 px-3 py-1.5 text-left text-fg-2 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
    >
      <span className="shrink-0">{counts}</span>
      <span className="min-w-0 flex-1 truncate">{titles}</span>
      <span className="shrink-0 text-fg-1">{isOpen ? 'Hide' : 'Show'}</span>
    </button>
  )
}

/** Agents with the same name are listed by task. */
function summaryOf(finished: readonly AgentState[], agents: ReadonlyMap<string, AgentState>) {
  const done = finished.filter((agent) => agent.status === 'completed' && agent.reachedLimit === null).length
  const titles = finished.map((agent) => (hasNamesake(agent, agents) ? agent.task : displayName(agent)))
  return { done, other: finished.length - done, titles: titles.join(' · ') }
}
