/** At the foot of a panel: that its agent is paused because what it does can't be saved. */
import { CirclePause } from 'lucide-react'
import { useAgentLogTrouble } from '../../stores/log-trouble-store.ts'
import { RetryButton } from './retry-button.tsx'

/** Nothing where all of it is saved. */
export function AgentLogTrouble({ agentId }: { readonly agentId: string }) {
  const trouble = useAgentLogTrouble(agentId)
  if (trouble === null) return null
  return (
    <div className="mb-1.5 flex items-start gap-2 rounded-md border border-bad/40 bg-bad/6 px-2.5 py-2 text-sm last:mb-0">
      <CirclePause size={13} strokeWidth={1.75} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
      <p className="min-w-0 flex-1 text-fg-1 wrap-anywhere" data-selectable="">
        <span className="font-medium text-fg-0">Paused: its log can’t be written.</span> Nothing is lost: it
        goes on once that works again. {trouble.message}
      </p>
      <RetryButton conversationId={trouble.conversationId} />
    </div>
  )
}
