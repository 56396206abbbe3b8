/** Conversations that can't be saved, one line each, at the top of the window until saving works again. */
import { CirclePause } from 'lucide-react'
import type { WriteFailure } from '../../../shared/state/conversation-summary.ts'
import { retryLog, useAgentWriteFailure, useWriteFailure } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { Button } from '../../ui/button.tsx'

export function WriteFailureBanner() {
  const failures = useWriteFailure((state) => state.failures)
  return (
    <div role="alert" className="max-h-[40vh] overflow-y-auto">
      {failures.map((failure) => (
        <FailureLine key={failure.conversationId} failure={failure} />
      ))}
    </div>
  )
}

function FailureLine({ failure }: { readonly failure: WriteFailure }) {
  const { conversationId, agentIds, message } = failure
  const shown = useSession((state) => state.conversationId === conversationId)
  const title = useSession(
    (state) => state.conversations.find(({ id }) => id === conversationId)?.title ?? 'a conversation',
  )
  return (
    <div className="flex items-start gap-2.5 border-bad/50 border-b bg-bad/10 px-3 py-2 text-sm">
      <CirclePause size={14} strokeWidth={1.75} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
      <p className="min-w-0 flex-1 text-fg-0 wrap-anywhere" data-selectable="">
        <span className="font-medium">{pausedText(agentIds.length, shown ? null : title)}</span>{' '}
        <span className="text-fg-1">{message}</span>
      </p>
      {!shown && (
        <Button variant="quiet" onClick={() => void openConversation(conversationId)}>
          Show
        </Button>
      )}
      <RetryButton conversationId={conversationId} />
    </div>
  )
}

function pausedText(agents: number, title: string | null): string {
  const where = title === null ? '' : ` in “${title === '' ? 'a new conversation' : title}”`
  return agents === 1 ? `1 agent${where} is paused.` : `${agents} agents${where} are paused.`
}

/** Retries saving the transcripts of a conversation. */
function RetryButton({ conversationId }: { readonly conversationId: string }) {
  const trying = useWriteFailure((state) => state.trying.has(conversationId))
  return (
    <Button disabled={trying} focusableWhenDisabled onClick={() => void retryLog(conversationId)}>
      {trying ? 'Retrying…' : 'Retry'}
    </Button>
  )
}

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
