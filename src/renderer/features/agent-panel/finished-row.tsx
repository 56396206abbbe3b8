/** The agents that are through, on one line. */
import { useShallow } from 'zustand/react/shallow'
import { useConversation } from '../../stores/conversation-store.ts'

export interface FinishedRowProps {
  readonly agentIds: readonly string[]
  /** Whether their tiles are shown below. */
  readonly isOpen: boolean
  readonly onToggle: () => void
}

export function FinishedRow({ agentIds, isOpen, onToggle }: FinishedRowProps) {
  const agents = useConversation(useShallow((state) => agentIds.map((id) => state.agents.get(id))))
  const done = agents.filter((agent) => agent?.status === 'completed' && agent.reachedLimit === null).length
  const other = agents.length - done
  const counts = [done > 0 && `${done} done`, other > 0 && `${other} stopped`].filter(Boolean).join(' · ')
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className="flex w-full shrink-0 items-baseline gap-3 border-line border-t bg-bg-1 px-3 py-1.5 text-left text-fg-2 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
    >
      <span className="shrink-0">{counts}</span>
      <span className="min-w-0 flex-1 truncate">
        {agents.map((agent) => agent?.definition.name ?? '').join(' · ')}
      </span>
      <span className="shrink-0 text-fg-1">{isOpen ? 'Hide' : 'Show'}</span>
    </button>
  )
}
