/** The open dialog of Review. A dialog about a worktree closes when the worktree is gone. */
import type { ReviewSnapshot } from '../../../../shared/worktrees/review.ts'
import { useReview } from '../../../stores/review-store.ts'
import { AskDialog } from './ask-dialog.tsx'
import { DiscardWorktreeDialog } from './discard-dialog.tsx'
import { MergeAllDialog } from './merge-all-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { RemoveMergedDialog } from './remove-merged-dialog.tsx'

export function ReviewDialogs({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const dialog = useReview((state) => state.dialog)
  if (dialog === null) return null
  if (dialog.kind === 'merge-all') return <MergeAllDialog snapshot={snapshot} />
  if (dialog.kind === 'remove-merged') return <RemoveMergedDialog snapshot={snapshot} />
  const worktree = snapshot.worktrees.find(({ id }) => id === dialog.id)
  if (worktree === undefined) return null
  switch (dialog.kind) {
    case 'merge':
      return (
        <MergeDialog
          key={`${dialog.id}-${dialog.method}`}
          snapshot={snapshot}
          worktree={worktree}
          method={dialog.method}
          elsewhere={dialog.elsewhere}
        />
      )
    case 'ask':
      return <AskDialog key={dialog.id} snapshot={snapshot} worktree={worktree} />
    case 'discard':
      return <DiscardWorktreeDialog key={dialog.id} snapshot={snapshot} worktree={worktree} />
  }
}
