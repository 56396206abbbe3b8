/** The verification of a worktree, or of the folder's own changes, in Review: the verdict with its evidence, or the button to verify. */
import { isLive } from '../../../shared/state/agent-state.ts'
import { useAgent, useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { EvidenceList, VerdictTitle } from '../../ui/verdict.tsx'
import { ChangedSinceVerdict, useIsChanged } from './changed-since.tsx'
import {
  answerVerifications,
  sendToFix,
  useChangedSince,
  useLatestVerification,
  useVerificationStore,
  verifyNow,
} from './verifications.ts'

interface ReviewVerificationProps {
  /** The agent with the worktree; null: the changes in the folder itself. */
  readonly agentId: string | null
  readonly conversationId: string
  /** Whether there is work to verify. */
  readonly hasWork: boolean
  readonly onShowAgent: (agentId: string) => void
}

/** Renders nothing for another conversation, and nothing without work and verdict. */
export function ReviewVerification({
  agentId,
  conversationId,
  hasWork,
  onShowAgent,
}: ReviewVerificationProps) {
  useChangedSince()
  const isShown = useConversation((state) => state.conversationId === conversationId && !state.readOnly)
  const mainAgentId = useMainAgentId()
  const author = useAgent(agentId ?? mainAgentId)
  const latest = useLatestVerification(agentId)
  const busy = useVerificationStore((state) => state.busy)
  const isChanged = useIsChanged(latest?.id ?? '')
  if (!isShown || (agentId !== null && author === undefined) || (!hasWork && latest === null)) return null
  const isRunning = latest?.state === 'running'
  const isFolder = agentId === null
  const verifier = latest?.agentId ?? null
  const canVerify = (hasWork || isFolder) && !(author !== undefined && isLive(author)) && !isRunning
  const verify = () =>
    void (latest?.state === 'offered' && !isChanged
      ? answerVerifications([latest.id], true)
      : verifyNow(agentId))
  return (
    <section
      aria-label={isFolder ? 'Verification of the folder' : 'Verification'}
      className="grid max-h-[30vh] shrink-0 gap-1 overflow-y-auto border-line border-t bg-bg-1 px-3 py-1.5 text-sm"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {isFolder && <h2 className="font-semibold">Changes in the folder</h2>}
        {latest?.state === 'done' ? (
          <VerdictTitle verdict={latest.verdict} />
        ) : (
          <span className="flex items-center gap-1.5 text-fg-1">
            {isRunning && <Spinner size={11} />}
            {isRunning ? 'Being verified' : 'Not verified'}
          </span>
        )}
        {latest?.state === 'done' && <ChangedSinceVerdict id={latest.id} />}
        <span className="ml-auto flex flex-wrap gap-1.5">
          {latest?.verdict === 'failed' && !isChanged && (
            <Button onClick={(event) => event.detail < 2 && void sendToFix(latest)}>
              Send to the agent to fix
            </Button>
          )}
          {verifier !== null && (
            <Button variant="quiet" onClick={() => onShowAgent(verifier)}>
              Show verifier
            </Button>
          )}
          {canVerify && (
            <Button
              variant={latest?.state === 'done' ? 'quiet' : 'secondary'}
              disabled={busy}
              focusableWhenDisabled
              onClick={verify}
            >
              {latest?.state === 'done' ? 'Verify again' : 'Verify'}
            </Button>
          )}
        </span>
      </div>
      {latest?.state === 'done' && latest.summary !== '' && (
        <p className="text-fg-1 wrap-anywhere" data-selectable="">
          {latest.summary}
        </p>
      )}
      {latest?.state === 'done' && <EvidenceList evidence={latest.evidence} />}
    </section>
  )
}
