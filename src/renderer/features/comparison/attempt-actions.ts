/** What the user can do with an attempt. The buttons and the keys both take it from here, so they always agree. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import { checkAgain } from '../../stores/comparison-store.ts'
import { goToReview } from '../../stores/review-store.ts'

/** Null: not possible now. */
interface AttemptActions {
  readonly review: (() => void) | null
  readonly merge: (() => void) | null
  readonly check: (() => void) | null
}

interface AttemptNow {
  readonly row: AttemptRow
  readonly agent: AgentState | undefined
  /** The command that checks the attempts; null: none. */
  readonly command: string | null
  /** Whether the conversation is read-only. */
  readonly readOnly: boolean
}

/** An attempt that works, or that changed nothing, has nothing to look at, to merge or to check. */
export function attemptActions({ row, agent, command, readOnly }: AttemptNow): AttemptActions {
  const { agentId, isLive, work, check, isMerged } = row
  if (isLive || work === null || work.files === 0) return { review: null, merge: null, check: null }
  const worktree = agent?.worktree ?? null
  const isBeingChecked = check?.state === 'running' || check?.state === 'waiting'
  return {
    review: worktree === null ? null : () => goToReview(worktree.id),
    merge:
      worktree === null || isMerged || readOnly
        ? null
        : () =>
            goToReview(worktree.id, {
              ...{ kind: 'merge', id: worktree.id, method: 'merge' },
              elsewhere: worktree.target === null,
            }),
    check: command === null || isBeingChecked || readOnly ? null : () => void checkAgain(agentId),
  }
}
