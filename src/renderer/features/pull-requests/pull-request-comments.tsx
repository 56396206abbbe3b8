/** The comments of a pull request, in the panel and at their lines, and the dialog that answers one at the forge. */
import { useState } from 'react'
import type { PullRequestComment, PullRequestView } from '../../../shared/pull-requests/pull-request.ts'
import type { ReviewComment } from '../../../shared/worktrees/review.ts'
import { command } from '../../bridge.ts'
import { showNotice, useDialogCommand } from '../../stores/overlay-store.ts'
import { selectPath, showView } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { DialogError, FormDialog } from '../../ui/form-dialog.tsx'
import { formatClock } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { loadPullRequest, type PullRequestKey, sendComment } from './pull-request-store.ts'

interface CommentsProps {
  readonly pushKey: PullRequestKey
  readonly comments: readonly PullRequestComment[]
  readonly forge: string
}

export function PullRequestComments({ pushKey, comments, forge }: CommentsProps) {
  const [answering, setAnswering] = useState<PullRequestComment | null>(null)
  const open = comments.filter(({ resolved }) => !resolved).length
  return (
    <section aria-label="Comments" className="grid gap-2 px-4 pt-3 pb-4 text-sm">
      <div className="flex items-baseline justify-between">
        <h3 className="font-semibold text-fg-0 text-sm">Comments</h3>
        <span className="text-fg-1 text-xs">{comments.length === 0 ? 'None' : `${open} open`}</span>
      </div>
      {comments.map((comment) => (
        <article key={comment.id} className="grid gap-1.5 rounded-md border border-line px-2.5 py-2">
          <p className="flex gap-2 text-fg-1 text-xs">
            <Place id={pushKey.id} comment={comment} />
            {comment.resolved && <span>resolved</span>}
            <span className="font-mono">{formatClock(comment.at)}</span>
          </p>
          {[comment, ...comment.replies].map((said, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one conversation never move
            <p key={index} className="whitespace-pre-wrap text-fg-0 wrap-anywhere" dir="auto">
              <b className="font-semibold">
                <VisibleText>{said.author}</VisibleText>
              </b>
              : <VisibleText>{said.text}</VisibleText>
            </p>
          ))}
          <div className="flex gap-1.5">
            <Button onClick={(event) => event.detail < 2 && void sendComment(pushKey, comment.id)}>
              Send to agent
            </Button>
            <Button onClick={() => setAnswering(comment)}>Reply…</Button>
          </div>
        </article>
      ))}
      {answering !== null && (
        <ReplyDialog
          key={answering.id}
          pushKey={pushKey}
          comment={answering}
          forge={forge}
          onClose={() => setAnswering(null)}
        />
      )}
    </section>
  )
}

interface PlaceProps {
  /** The worktree. */
  readonly id: string
  readonly comment: PullRequestComment
}

/** Shows the file in the diff, where the comment stands at its line. */
function Place({ id, comment: { path, line } }: PlaceProps) {
  if (path === null) return <span className="flex-1">On the whole pull request</span>
  return (
    <button
      type="button"
      title="Show the file"
      onClick={() => {
        selectPath(id, path)
        showView('changes')
      }}
      className="min-w-0 flex-1 truncate text-left font-mono hover:text-fg-0 hover:underline"
      dir="ltr"
    >
      <VisibleText>{line === null ? path : `${path}:${line}`}</VisibleText>
    </button>
  )
}

interface ReplyDialogProps {
  readonly pushKey: PullRequestKey
  readonly comment: PullRequestComment
  readonly forge: string
  readonly onClose: () => void
}

function ReplyDialog({ pushKey, comment, forge, onClose }: ReplyDialogProps) {
  const [text, setText] = useState('')
  const { busy, failure, run } = useDialogCommand()
  const send = async () => {
    const answer = await run(() => command('pullRequest.reply', { ...pushKey, comment: comment.id, text }))
    if (!answer?.ok) return
    onClose()
    showNotice({ level: 'info', text: `Answered at ${forge}.` })
    void loadPullRequest(pushKey)
  }
  return (
    <FormDialog
      onClose={onClose}
      width={520}
      title={`Reply to ${comment.author}`}
      description={`Everybody who can read the pull request at ${forge} sees it, under your name.`}
      label="Reply"
      isReady={text.trim() !== ''}
      busy={busy}
      onSubmit={() => void send()}
    >
      <p className="whitespace-pre-wrap text-fg-1 text-sm wrap-anywhere" dir="auto">
        <VisibleText>{comment.text}</VisibleText>
      </p>
      <TextArea label="Reply" autoFocus value={text} onChange={(event) => setText(event.target.value)} />
      <DialogError message={failure?.message ?? null} />
    </FormDialog>
  )
}

interface OutsideComment {
  readonly key: string
  readonly author: string
  readonly comment: ReviewComment
  readonly state: string
  readonly answer: null
  readonly isLast: false
}

/** The open comments on lines, as the diff shows comments at their lines. */
export function outsideComments(view: PullRequestView | undefined): readonly OutsideComment[] {
  const forge = view?.forge?.name ?? 'the forge'
  return (view?.pull?.comments ?? []).flatMap(
    ({ id, author, path, line, lastLine, side, text, at, resolved, replies }) =>
      resolved || path === null || line === null
        ? []
        : [
            {
              key: `outside:${id}`,
              author,
              comment: { path, line, lastLine: lastLine === line ? null : lastLine, side, quote: '', text },
              state: `At ${forge}, ${formatClock(at)}${replies.length === 0 ? '' : `, ${replies.length} ${replies.length === 1 ? 'reply' : 'replies'}`}.`,
              answer: null,
              isLast: false as const,
            },
          ],
  )
}
