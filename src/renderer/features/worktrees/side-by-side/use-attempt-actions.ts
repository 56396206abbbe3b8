/** The ways from an attempt to Review. */

import type { ColumnAttempt } from '../../../stores/comparison-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { goToReview, selectPath, useSnapshot } from '../../../stores/review-store.ts'
import type { ComparedFile } from './compared-files.ts'

/** What can be done with an attempt. */
export interface AttemptActions {
  readonly mayReview: (attempt: ColumnAttempt) => boolean
  readonly review: (attempt: ColumnAttempt) => void
  readonly mayMerge: (attempt: ColumnAttempt) => boolean
  readonly merge: (attempt: ColumnAttempt) => void
}

/** `file`: the shown file, which Review shows too. */
export function useAttemptActions(file: ComparedFile | null): AttemptActions {
  const snapshot = useSnapshot()
  const readOnly = useConversation((state) => state.readOnly)
  const worktreeOf = ({ worktreeId }: ColumnAttempt) =>
    snapshot?.worktrees.find(({ id }) => id === worktreeId)
  return {
    mayReview: (attempt) => worktreeOf(attempt) !== undefined,
    review: (attempt) => {
      const { worktreeId, agentId } = attempt
      if (worktreeId === null) return
      if (file?.changes.has(agentId)) selectPath(worktreeId, file.path)
      goToReview(worktreeId)
    },
    mayMerge: (attempt) => {
      const worktree = worktreeOf(attempt)
      return !readOnly && !attempt.isLive && worktree?.state === 'ready' && worktree.files > 0
    },
    merge: (attempt) => {
      const worktree = worktreeOf(attempt)
      if (worktree === undefined) return
      const { id, target } = worktree
      goToReview(id, { kind: 'merge', id, method: 'merge', elsewhere: target === null })
    },
  }
}
