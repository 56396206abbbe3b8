/** Before a worktree is discarded. Where something of it is nowhere else, its branch's name is to be typed. */
import { type FormEvent, useId, useState } from 'react'
import type { ReviewWorktree } from '../../../../shared/review.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { discardWorktree } from '../review-actions.ts'
import { holdsUnmergedWork, unmergedWords } from '../worktree-words.ts'
import { RefusalBox } from './refusal-box.tsx'
import { useRequest } from './use-request.ts'

interface DiscardDialogProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
}

export function DiscardDialog({ folder, worktree }: DiscardDialogProps) {
  const form = useId()
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState(false)
  const { busy, refusal, ask } = useRequest()
  const { branch, agentName, id, state } = worktree
  const mustType = asked || holdsUnmergedWork(worktree)
  const matches = typed.trim() === branch
  const canDiscard = !busy && state !== 'working' && (!mustType || matches)
  const wrong = mustType && typed.trim() !== '' && !branch.startsWith(typed.trim())
  const close = () => showReviewDialog(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!canDiscard) return
    const answer = await ask(() => discardWorktree(folder, id, mustType ? typed.trim() : null))
    if (answer?.ok) close()
    // It may have changed since this dialog was opened.
    else if (answer?.failure.type === 'confirm') setAsked(true)
  }
  return (
    <Dialog
      open
      onClose={close}
      title={`Discard the worktree of ${agentName}?`}
      description={
        holdsUnmergedWork(worktree)
          ? `${unmergedWords(worktree)} in it ${isOne(worktree) ? 'is' : 'are'} nowhere else. Folder and branch go. Until the next start they can be brought back, then they are gone for good.`
          : 'All of it is merged, or there is nothing in it. Folder and branch go; until the next start they can be brought back.'
      }
      actions={
        <>
          <Button size="md" onClick={close}>
            Keep it
          </Button>
          <Button
            size="md"
            variant="danger"
            type="submit"
            form={form}
            disabled={!canDiscard}
            focusableWhenDisabled
          >
            {busy && <Spinner size={11} />}
            Discard
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)} className="grid gap-3">
        {mustType && state !== 'working' && (
          <TextField
            label={`To confirm, type the branch’s name: ${branch}`}
            mono
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            error={wrong ? `That is not its name. It is ${branch}.` : null}
          />
        )}
        {state === 'working' && (
          <p className="text-fg-1 text-sm">Its agent still works in it. Stop the agent first.</p>
        )}
        <RefusalBox words={refusal?.message ?? null} />
      </form>
    </Dialog>
  )
}

const isOne = ({ commits, uncommitted, state }: ReviewWorktree) =>
  (state === 'merged' ? 0 : commits) + uncommitted === 1
