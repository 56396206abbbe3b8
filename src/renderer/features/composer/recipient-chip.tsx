import { X } from 'lucide-react'
import { useAgent } from '../../stores/conversation-store.ts'
import { useAgentTitle } from '../../stores/namesakes.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'

interface RecipientChipProps {
  readonly agentId: string
  readonly onRemove: () => void
}

/** The recipient of the message, unless the main agent gets it. */
export function RecipientChip({ agentId, onRemove }: RecipientChipProps) {
  const agent = useAgent(agentId)
  const title = useAgentTitle(agentId)
  if (agent === undefined) return null
  return (
    <span
      style={agentStyle(agent.definition.color)}
      className="flex h-5 max-w-[50%] shrink-0 items-center gap-1.5 rounded-sm border border-line bg-bg-2 pr-0.5 pl-1.5 text-fg-0 text-sm"
    >
      <Dot status={agent.endedAt === null ? 'waiting' : 'completed'} />
      <span className="truncate" title={title ?? undefined}>
        to {title}
      </span>
      <button
        type="button"
        aria-label="Message main agent instead"
        onClick={onRemove}
        className="grid size-4 place-items-center rounded-[3px] text-fg-2 hover:bg-bg-3 hover:text-fg-0"
      >
        <X size={11} aria-hidden="true" />
      </button>
    </span>
  )
}
