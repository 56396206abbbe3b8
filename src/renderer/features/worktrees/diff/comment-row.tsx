/** A comment on lines of a diff, and the field that edits one. */
import { Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import {
  cancelComment,
  changeReviewDraft,
  type DraftComment,
  editComment,
  finishComment,
  type HalfComment,
  removeComment,
  reviewDraftOf,
  type SentComment,
} from '../review-comments.ts'

interface CommentRowProps {
  readonly draftKey: string
  readonly comment: DraftComment
  /** Whether the commented lines have changed since. */
  readonly stale: boolean
  readonly agentName: string
  /** Moves the focus back to the diff. */
  readonly onLeave: () => void
}

const BOX =
  'my-2 mr-3 ml-[calc(var(--digits)*1ch+3.4ch)] rounded-md border border-line-strong bg-bg-1 px-3 py-2 font-sans text-sm'

export function CommentRow({ draftKey, comment, stale, agentName, onLeave }: CommentRowProps) {
  return (
    <div className={BOX}>
      <div className="flex items-start gap-1">
        <p
          className="min-w-0 flex-1 whitespace-pre-wrap text-fg-0 wrap-anywhere"
          data-selectable=""
          dir="auto"
        >
          <b className="font-semibold">You</b> on {rangeText(comment)}: {comment.text}
        </p>
        <IconButton label="Edit comment" icon={Pencil} onClick={() => editComment(draftKey, comment.key)} />
        <IconButton
          label="Delete comment"
          icon={Trash2}
          onClick={() => {
            removeComment(draftKey, comment.key)
            onLeave()
          }}
        />
      </div>
      {stale && <OldLines quote={comment.quote} />}
      <p className="mt-1 text-fg-2">“Ask {agentName}” sends all comments as one message.</p>
    </div>
  )
}

interface SentRowProps {
  readonly sent: SentComment
  readonly stale: boolean
}

/** A comment that the agent has received. */
export function SentCommentRow({ sent: { comment, state }, stale }: SentRowProps) {
  return (
    <div className={BOX}>
      <p className="whitespace-pre-wrap text-fg-0 wrap-anywhere" data-selectable="" dir="auto">
        <b className="font-semibold">You</b> on {rangeText(comment)}: {comment.text}
      </p>
      {stale && <OldLines quote={comment.quote} />}
      <p className="mt-1 text-fg-2">{state}</p>
    </div>
  )
}

function OldLines({ quote }: { readonly quote: string }) {
  return (
    <p className="mt-1 text-fg-1">
      These lines have changed since. Before:
      <code className="mt-1 block max-h-24 overflow-y-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-1 font-mono text-xs wrap-anywhere">
        {quote}
      </code>
    </p>
  )
}

interface CommentEditorProps {
  readonly draftKey: string
  readonly half: HalfComment
  readonly onLeave: () => void
}

export function CommentEditor({ draftKey, half, onLeave }: CommentEditorProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { path, side, line, lastLine } = half
  // Takes the focus only from the grid or from nothing: passing the editor must not move the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the editor moves to other lines
  useEffect(() => {
    const { activeElement, body } = document
    const isHere = field.current?.closest('[role="grid"]')?.contains(activeElement) ?? false
    if (isHere || activeElement === null || activeElement === body) field.current?.focus()
  }, [path, side, line, lastLine])
  const done = () => {
    finishComment(draftKey)
    onLeave()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    event.stopPropagation()
    if (event.key === 'Enter' && !event.shiftKey) done()
    else if (event.key === 'Escape') {
      // Unfinished text stays and can be continued later.
      if (half.text.trim() === '' && half.key === null) cancelComment(draftKey)
      onLeave()
    } else return
    event.preventDefault()
  }
  return (
    <div className={BOX}>
      <label className="grid gap-1.5">
        <span className="text-fg-1">Comment on {rangeText(half)}</span>
        <textarea
          ref={field}
          dir="auto"
          rows={Math.min(10, Math.max(2, half.text.split('\n').length))}
          value={half.text}
          data-comment-editor=""
          onChange={(event) => setText(draftKey, event.target.value)}
          onKeyDown={onKeyDown}
          className={`${INPUT_CLASS} resize-none py-1.5`}
        />
      </label>
      <div className="mt-2 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-fg-2">Enter saves, Shift Enter adds a line.</span>
        <Button
          variant="quiet"
          onClick={() => {
            cancelComment(draftKey)
            onLeave()
          }}
        >
          Cancel
        </Button>
        <Button onClick={done}>{half.key === null ? 'Comment' : 'Save'}</Button>
      </div>
    </div>
  )
}

function setText(draftKey: string, text: string): void {
  const { editing } = reviewDraftOf(draftKey)
  if (editing !== null) changeReviewDraft(draftKey, { editing: { ...editing, text } })
}

/** "line 19", "lines 19–22", "old lines 19–22". */
export function rangeText({ line, lastLine, side }: Pick<HalfComment, 'line' | 'lastLine' | 'side'>): string {
  const range = lastLine !== null && lastLine !== line ? `lines ${line}–${lastLine}` : `line ${line}`
  return side === 'after' ? range : `old ${range}`
}
