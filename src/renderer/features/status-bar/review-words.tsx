/** What the bar at the bottom says of worktrees: how many wait, and in Review how the branch stands. */
import { waitingIn } from '../../stores/review-groups.ts'
import { goToReview, useSnapshot } from '../../stores/review-store.ts'
import { count } from '../../ui/format.ts'

/** Leads to Review; nothing where no worktree waits to be merged. */
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

export function RepositoryWords() {
  const snapshot = useSnapshot()
  if (snapshot === null || snapshot.problem !== null) return null
  const { worktrees, current, ahead } = snapshot
  return (
    <>
      <span>{count(worktrees.length, 'worktree')}</span>
      {current === null ? (
        <span>no branch is checked out</span>
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
