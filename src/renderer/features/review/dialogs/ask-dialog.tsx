/** All comments of a worktree, and words to go with them, before they are sent to its agent as one message. */
import { Trash2 } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useId } from 'react'
import type { ReviewWorktree } from '../../../../shared/review.ts'
import {
  changeReviewDraft,
  draftKeyOf,
  finishComment,
  removeComment,
  useReviewDraft,
} from '../../../stores/review-comments.ts'
import { showReviewDialog } from '../../../stores/review-store.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { count } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import { VisibleText } from '../../../ui/visible-text.tsx'
import { placeWords } from '../diff/comment-row.tsx'
import { sendComments } from '../review-actions.ts'
import { RefusalBox } from './refusal-box.tsx'
import { useRequest } from './use-request.ts'

interface AskDialogProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
}

export function AskDialog({ folder, worktree }: AskDialogProps) {
  const form = useId()
  const key = draftKeyOf(folder, worktree.id)
  const { comments, words } = useReviewDraft(key)
  const { busy, refusal, ask } = useRequest()
  const { agentName, state } = worktree
  // What is half written goes along.
  useEffect(() => finishComment(key), [key])
  const nothing = comments.length === 0 && words.trim() === ''
  const close = () => showReviewDialog(null)
  const send = async () => {
    if (nothing || busy) return
    const answer = await ask(() => sendComments(folder, worktree.id))
    if (answer?.ok) close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    <Dialog
      open
      onClose={close}
      width={520}
      title={`Ask ${agentName}`}
      description={
        state === 'working'
          ? 'It still works: the message reaches it in its next turn.'
          : 'It goes on in its worktree with what you write here.'
      }
      actions={
        <>
          <Button size="md" onClick={close}>
            Not yet
          </Button>
          <Button
            size="md"
            variant="primary"
            type="submit"
            form={form}
            disabled={nothing || busy}
            focusableWhenDisabled
          >
            {busy && <Spinner size={11} />}
            {comments.length === 0 ? 'Send' : `Send ${count(comments.length, 'comment')}`}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void send()
        }}
        className="grid gap-3"
      >
        {comments.length === 0 ? (
          <p className="text-fg-1 text-sm">
            There is no comment yet: put the cursor on a line and press C, or click a line’s number. Or say it
            in words here.
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
                    <VisibleText>{comment.path}</VisibleText>, {placeWords(comment)}
                  </p>
                  <p className="whitespace-pre-wrap text-fg-0 wrap-anywhere" dir="auto">
                    {comment.text}
                  </p>
                </div>
                <IconButton
                  icon={Trash2}
                  label="Delete the comment"
                  onClick={() => removeComment(key, comment.key)}
                />
              </li>
            ))}
          </ul>
        )}
        <label className="grid gap-1 text-fg-1 text-sm">
          {comments.length === 0 ? 'Your words' : 'Words to go with them'}
          <textarea
            rows={3}
            autoFocus
            dir="auto"
            value={words}
            onChange={(event) => changeReviewDraft(key, { words: event.target.value })}
            onKeyDown={onKeyDown}
            className={`${INPUT_CLASS} resize-none py-1.5`}
          />
        </label>
        <RefusalBox words={refusal?.message ?? null} />
      </form>
    </Dialog>
  )
}
