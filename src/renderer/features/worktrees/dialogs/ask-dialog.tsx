/** Sends all comments on a worktree to its agent as one message, with an optional note. */
import { Trash2 } from 'lucide-react'
import { type KeyboardEvent, useEffect } from 'react'
import type { ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { IconButton } from '../../../ui/button.tsx'
import { DialogError, FormDialog } from '../../../ui/form-dialog.tsx'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { rangeText } from '../diff/comment-row.tsx'
import { sendComments } from '../review-actions.ts'
import {
  changeReviewDraft,
  draftKeyOf,
  finishComment,
  removeComment,
  useReviewDraft,
} from '../review-comments.ts'
import { worktreeName } from '../worktree-text.ts'

interface AskDialogProps {
  readonly snapshot: ReviewSnapshot
  readonly worktree: ReviewWorktree
}

export function AskDialog({ snapshot, worktree }: AskDialogProps) {
  const key = draftKeyOf(snapshot.folder, worktree.id)
  const { comments, message } = useReviewDraft(key)
  const { busy, failure, run } = useDialogCommand()
  const { folder, worktrees } = snapshot
  const { state } = worktree
  // An unfinished comment is sent too.
  useEffect(() => finishComment(key), [key])
  const isEmpty = comments.length === 0 && message.trim() === ''
  const close = () => showReviewDialog(null)
  const send = async () => {
    const answer = await run(() => sendComments(folder, worktree.id))
    if (answer?.ok) close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (!isEmpty && !busy) void send()
  }
  return (
    <FormDialog
      onClose={close}
      width={520}
      title={`Ask about ${worktreeName(worktrees, worktree.id)}`}
      description={
        state === 'working'
          ? 'The agent is still working and gets the message in its next turn.'
          : 'The agent resumes in its worktree with your message.'
      }
      label={comments.length === 0 ? 'Send' : `Send ${count(comments.length, 'comment')}`}
      isReady={!isEmpty}
      busy={busy}
      onSubmit={() => void send()}
    >
      {comments.length === 0 ? (
        <p className="text-fg-1 text-sm">
          No comments yet. To comment on a line, select it and press C, or click its number.
        </p>
      ) : (
        <ul aria-label="Comments" className="grid gap-2">
          {comments.map((comment) => (
            <li
              key={comment.key}
              className="flex items-start gap-2 rounded-md border border-line px-3 py-2 text-sm"
            >
              <div className="min-w-0 flex-1">
                <p className="truncate font-mono text-fg-2 text-xs" dir="ltr">
                  <VisibleText>{comment.path}</VisibleText>, {rangeText(comment)}
                </p>
                <p className="whitespace-pre-wrap text-fg-0 wrap-anywhere" dir="auto">
                  {comment.text}
                </p>
              </div>
              <IconButton
                icon={Trash2}
                label="Delete comment"
                onClick={() => removeComment(key, comment.key)}
              />
            </li>
          ))}
        </ul>
      )}
      <label className="grid gap-1 text-fg-1 text-sm">
        {comments.length === 0 ? 'Message' : 'Note (optional)'}
        <textarea
          rows={3}
          // biome-ignore lint/a11y/noAutofocus: the user opened the dialog to write
          autoFocus
          dir="auto"
          value={message}
          onChange={(event) => changeReviewDraft(key, { message: event.target.value })}
          onKeyDown={onKeyDown}
          className={`${INPUT_CLASS} resize-none py-1.5`}
        />
      </label>
      <DialogError message={failure?.message ?? null} />
    </FormDialog>
  )
}
