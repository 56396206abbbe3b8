/** Confirms discarding a worktree. Unmerged work requires typing the branch name. */
import { useState } from 'react'
import type { ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { DialogError, FormDialog } from '../../../ui/form-dialog.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { discardWorktree } from '../review-actions.ts'
import { hasUnmergedWork, unmergedText, worktreeName } from '../worktree-text.ts'

interface DiscardDialogProps {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
}

export function DiscardWorktreeDialog({ snapshot, worktree }: DiscardDialogProps) {
  const [typed, setTyped] = useState('')
  const [required, setRequired] = useState(false)
  const { busy, failure, run } = useDialogCommand()
  const { branch, state } = worktree
  const mustType = required || hasUnmergedWork(worktree)
  const matches = typed.trim() === branch
  const wrong = mustType && typed.trim() !== '' && !branch.startsWith(typed.trim())
  const close = () => showReviewDialog(null)
  const discard = async () => {
    const answer = await run(() => discardWorktree(snapshot.folder, worktree, mustType ? typed.trim() : null))
    if (answer?.ok) close()
    // The worktree may have changed since the dialog opened.
    else if (answer?.failure.type === 'confirm') setRequired(true)
  }
  return (
    <FormDialog
      onClose={close}
      title={`Discard ${worktreeName(snapshot.worktrees, worktree.id)}?`}
      description={
        hasUnmergedWork(worktree)
          ? `${unmergedText(worktree)} ${isOne(worktree) ? 'exists' : 'exist'} nowhere else. You can undo this until Troupe restarts; then the folder and the branch are deleted for good.`
          : 'The worktree has no unmerged work. You can undo this until Troupe restarts.'
      }
      label="Discard"
      variant="danger"
      isReady={state !== 'working' && (!mustType || matches)}
      busy={busy}
      onSubmit={() => void discard()}
    >
      {mustType && state !== 'working' && (
        <TextField
          label={`Type ${branch} to confirm`}
          mono
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={wrong ? `The branch is named ${branch}.` : null}
        />
      )}
      {state === 'working' && (
        <p className="text-fg-1 text-sm">The agent is still working here. Stop it first.</p>
      )}
      <DialogError message={failure?.message ?? null} />
    </FormDialog>
  )
}

const isOne = ({ commits, uncommitted, state }: ReviewWorktree) =>
  (state === 'merged' ? 0 : commits) + uncommitted === 1
