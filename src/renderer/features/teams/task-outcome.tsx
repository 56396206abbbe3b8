/** What came out of a task: its result in the words of its agent, and the verification of the changes with its evidence. */
import { PanelRight } from 'lucide-react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import type { Verification } from '../../../shared/verification/verification.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { goToReview } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Moment } from '../../ui/text/times.tsx'
import { EvidenceList, VerdictTitle } from '../../ui/verdict.tsx'
import { Part } from './part.tsx'
import { Party } from './party.tsx'

interface OutcomeProps {
  readonly task: TeamTask
  readonly onOpenAgent: (agentId: string) => void
}

/** Without a result of its own, a completed task shows the report with which its agent ended after it. */
export function TaskResult({ task }: OutcomeProps) {
  const agent = useAgent(task.owner)
  if (task.status !== 'completed') return null
  const isReported =
    agent !== undefined &&
    agent.report !== '' &&
    (agent.endedAt ?? 0) >= (task.endedAt ?? Number.POSITIVE_INFINITY)
  const text = task.result ?? (isReported ? agent.report : '')
  const worktree = agent?.worktree?.own === true && agent.work?.unchanged === false ? agent.worktree : null
  return (
    <Part title={task.result === undefined && isReported ? 'Report of its agent' : 'Result'}>
      <p dir="auto" data-selectable="" className="whitespace-pre-wrap text-fg-0 wrap-anywhere">
        {text === '' ? 'Its agent said nothing about the result.' : makeVisible(text)}
      </p>
      {worktree !== null && (
        <div>
          <Button onClick={() => goToReview(worktree.id)}>Review changes</Button>
        </div>
      )}
    </Part>
  )
}

const NONE: readonly Verification[] = []

export function TaskVerification({ task, onOpenAgent }: OutcomeProps) {
  const all = useConversation((state) => state.record?.verifications ?? NONE)
  const found = verificationOf(task, all)
  if (found === null) return null
  const { agentId } = found
  return (
    <Part title="Verification">
      <div className="flex flex-wrap items-center gap-x-2">
        {found.state === 'done' ? (
          <VerdictTitle verdict={found.verdict} />
        ) : (
          <span className="inline-flex items-center gap-1.5 text-fg-1">
            <Spinner size={11} /> The changes are being verified
          </span>
        )}
        <span className="inline-flex min-w-0 items-center gap-1 text-fg-2">
          {found.owner === null ? (
            'of all changes in the folder'
          ) : (
            <>
              of the worktree of <Party id={found.owner} dot="none" />
            </>
          )}
          · <Moment at={found.at} />
        </span>
        {agentId !== null && agentId !== task.owner && (
          <Button variant="quiet" onClick={() => onOpenAgent(agentId)}>
            <PanelRight size={12} aria-hidden="true" /> Show verifier
          </Button>
        )}
      </div>
      {found.summary !== '' && (
        <p data-selectable="" className="text-fg-0 wrap-anywhere">
          {makeVisible(found.summary)}
        </p>
      )}
      <EvidenceList evidence={found.evidence} />
    </Part>
  )
}

/**
 * The newest verification since the task was claimed: the one that its agent made, else that of its agent's worktree, else
 * that of the folder after the task was done. Null: there is none.
 */
function verificationOf(
  { owner, claimedAt, endedAt, status }: TeamTask,
  all: readonly Verification[],
): Verification | null {
  if (owner === null || claimedAt === null) return null
  const held = all.filter(({ state, at }) => (state === 'done' || state === 'running') && at >= claimedAt)
  return (
    held.findLast(({ agentId }) => agentId === owner) ??
    held.findLast((one) => one.owner === owner) ??
    (status === 'completed'
      ? held.findLast((one) => one.owner === null && one.at >= (endedAt ?? claimedAt))
      : undefined) ??
    null
  )
}
