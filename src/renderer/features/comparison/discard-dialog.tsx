/** Asks before the worktrees of attempts are discarded. */
import { useState } from 'react'
import { formatChanges } from '../../../shared/worktrees/format-work.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { discardAttempts } from '../../stores/comparison-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count } from '../../ui/text/format.ts'

interface DiscardDialogProps {
  readonly worktrees: readonly ReviewWorktree[]
  readonly onClose: () => void
}

export function DiscardAttemptsDialog({ worktrees, onClose }: DiscardDialogProps) {
  const [busy, setBusy] = useState(false)
  const discard = async () => {
    if (busy) return
    setBusy(true)
    await discardAttempts(worktrees)
    onClose()
  }
  if (worktrees.length === 0)
    return (
      <Dialog
        open
        onClose={onClose}
        title="Nothing to discard"
        description="No unmerged worktree of this comparison is left."
        actions={
          <Button size="md" onClick={onClose}>
            Close
          </Button>
        }
      />
    )
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Discard ${count(worktrees.length, 'worktree')}?`}
      description="Their work is not merged and exists nowhere else. Review can restore it until Troupe restarts; then it is deleted for good."
      actions={
        <>
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button
            size="md"
            variant="danger"
            disabled={busy}
            focusableWhenDisabled
            onClick={() => void discard()}
          >
            {busy && <Spinner size={11} />}
            Discard
          </Button>
        </>
      }
    >
      <ul aria-label="Worktrees to discard" className="grid max-h-60 gap-1 overflow-y-auto text-sm">
        {worktrees.map((worktree) => (
          <li key={worktree.id} className="flex items-baseline gap-2">
            <span className="min-w-0 flex-1 truncate font-mono text-fg-1 text-xs">{worktree.branch}</span>
            <span className="shrink-0 text-fg-2 text-xs">{formatChanges(worktree)}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
