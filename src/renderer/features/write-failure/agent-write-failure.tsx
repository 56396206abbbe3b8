/** At the foot of a panel: its agent is paused because its transcript can't be written. */
import { CirclePause } from 'lucide-react'
import { useAgentWriteFailure } from '../../stores/conversation-store.ts'
import { RetryButton } from './retry-button.tsx'

/** Renders nothing while the agent's transcript is saved. */
export function AgentWriteFailure({ agentId }: { readonly agentId: string }) {
  const failure = useAgentWriteFailure(agentId)
  if (failure === null) return null
  return (
    <div className="mb-1.5 flex items-start gap-2 rounded-md border border-bad/40 bg-bad/6 px-2.5 py-2 text-sm last:mb-0">
      <CirclePause size={13} strokeWidth={1.75} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
      <p className="min-w-0 flex-1 text-fg-1 wrap-anywhere" data-selectable="">
        <span className="font-medium text-fg-0">Paused: its log can’t be written.</span> Nothing is lost. The
        agent resumes when saving works again. {failure.message}
      </p>
      <RetryButton conversationId={failure.conversationId} />
    </div>
  )
}
