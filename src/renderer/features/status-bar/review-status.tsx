/** The worktrees in the status bar: the unmerged ones, and in Review the state of the branch. */
import { waitingIn } from '../../stores/review-groups.ts'
import { goToReview, useSnapshot } from '../../stores/review-store.ts'
import { count } from '../../ui/text/format.ts'

/** Opens Review; renders nothing without unmerged worktrees. */
export function WaitingWorktrees() {
  const waiting = waitingIn(useSnapshot()).length
  if (waiting === 0) return null
  return (
    <button
      type="button"
      title="Open Review"
      onClick={() => goToReview(null)}
      className="hover:text-fg-0 hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'worktree')} unmerged
    </button>
  )
}

export function RepositoryStatus() {
  const snapshot = useSnapshot()
  if (snapshot === null || snapshot.problem !== null) return null
  const { worktrees, current, ahead } = snapshot
  return (
    <>
      <span>{count(worktrees.length, 'worktree')}</span>
      {current === null ? (
        <span>no branch checked out</span>
      ) : (
        ahead !== null &&
        ahead > 0 && (
          <span className="min-w-0 truncate">
            {current} is {count(ahead, 'commit')} ahead of origin
          </span>
        )
      )}
    </>
  )
}
