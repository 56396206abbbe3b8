/** Removes merged worktrees, then lists those that were kept with the reason. */
import { useState } from 'react'
import type { CommandOutput } from '../../../../shared/ipc/ipc-contract.ts'
import type { ReviewSnapshot } from '../../../../shared/worktrees/review.ts'
import { command } from '../../../bridge.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogError } from '../../../ui/form-dialog.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { count, formatSize } from '../../../ui/text/format.ts'
import { worktreeName } from '../worktree-text.ts'

type Removed = CommandOutput<'review.removeMerged'>

export function RemoveMergedDialog({ snapshot }: { readonly snapshot: ReviewSnapshot }) {
  const [merged] = useState(() => snapshot.worktrees.filter(({ state }) => state === 'merged'))
  const [names] = useState(() => new Map(snapshot.worktrees.map(({ id, branch }) => [id, branch])))
  const [removed, setRemoved] = useState<Removed | null>(null)
  const { busy, failure, run } = useDialogCommand()
  const close = () => showReviewDialog(null)
  const remove = async () => {
    const answer = await run(() =>
      command('review.removeMerged', { folder: snapshot.folder, ids: merged.map(({ id }) => id) }),
    )
    if (answer?.ok) setRemoved(answer.value)
  }
  return (
    <Dialog
      open
      onClose={close}
      title={
        removed === null ? 'Remove merged worktrees?' : `${count(removed.removed.length, 'worktree')} removed`
      }
      description={
        removed === null
          ? 'Deletes their folders and branches. The work remains in the branch it was merged into.'
          : removed.kept.length === 0
            ? 'All merged worktrees were removed.'
            : `${count(removed.kept.length, 'worktree')} kept:`
      }
      actions={
        removed === null ? (
          <>
            <Button size="md" onClick={close}>
              Cancel
            </Button>
            <Button
              size="md"
              variant="primary"
              disabled={busy}
              focusableWhenDisabled
              onClick={() => void remove()}
            >
              {busy && <Spinner size={11} />}
              Remove {count(merged.length, 'worktree')}
            </Button>
          </>
        ) : (
          <Button size="md" variant="primary" autoFocus onClick={close}>
            Done
          </Button>
        )
      }
    >
      <ul className="grid gap-1 text-sm">
        {removed === null
          ? merged.map(({ id, branch, bytes }) => (
              <li key={id} className="flex items-baseline gap-2">
                <span className="min-w-0 flex-[2_1_0] truncate text-fg-0">
                  {worktreeName(snapshot.worktrees, id)}
                </span>
                <code className="min-w-0 flex-1 truncate font-mono text-fg-2 text-xs" title={branch}>
                  <bdi>{branch}</bdi>
                </code>
                <span className="shrink-0 text-fg-2">{bytes === null ? '' : formatSize(bytes)}</span>
              </li>
            ))
          : removed.kept.map(({ id, because }) => (
              <li key={id} className="wrap-anywhere">
                <code className="font-mono text-fg-0 text-xs">{names.get(id) ?? id}</code>{' '}
                <span className="text-fg-1">{because}</span>
              </li>
            ))}
      </ul>
      <div className="pt-2">
        <DialogError message={failure?.message ?? null} />
      </div>
    </Dialog>
  )
}
