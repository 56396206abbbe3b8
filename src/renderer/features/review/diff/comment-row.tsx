/** A comment on lines, and the field in which one is written. */
import { Pencil, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import {
  cancelComment,
  changeReviewDraft,
  type DraftComment,
  editComment,
  finishComment,
  type HalfComment,
  removeComment,
  reviewDraftOf,
} from '../../../stores/review-comments.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'

interface CommentRowProps {
  readonly draftKey: string
  readonly comment: DraftComment
  /** The lines are no longer what they were. */
  readonly stale: boolean
  readonly agentName: string
  /** Gives the focus back to the lines. */
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
          <b className="font-semibold">You</b> on {placeWords(comment)}: {comment.text}
        </p>
        <IconButton
          label="Edit the comment"
          icon={Pencil}
          onClick={() => editComment(draftKey, comment.key)}
        />
        <IconButton
          label="Delete the comment"
          icon={Trash2}
          onClick={() => {
            removeComment(draftKey, comment.key)
            onLeave()
          }}
        />
      </div>
      {stale && (
        <p className="mt-1 text-fg-1">
          These lines are other ones by now. They were:
          <code className="mt-1 block max-h-24 overflow-y-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-1 font-mono text-xs wrap-anywhere">
            {comment.quote}
          </code>
        </p>
      )}
      <p className="mt-1 text-fg-2">
        Comments go to the agent as one message when you press “Ask {agentName}”.
      </p>
    </div>
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
  // For each place anew; but who only comes past it, with the focus elsewhere, goes on there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
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
      // What was written stays where it is, to go on with.
      if (half.text.trim() === '' && half.key === null) cancelComment(draftKey)
      onLeave()
    } else return
    event.preventDefault()
  }
  return (
    <div className={BOX}>
      <label className="grid gap-1.5">
        <span className="text-fg-1">Comment on {placeWords(half)}</span>
        <textarea
          ref={field}
          dir="auto"
          rows={Math.min(10, Math.max(2, half.text.split('\n').length))}
          value={half.text}
          data-comment-editor=""
          onChange={(event) => write(draftKey, event.target.value)}
          onKeyDown={onKeyDown}
          className={`${INPUT_CLASS} resize-none py-1.5`}
        />
      </label>
      <div className="mt-2 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-fg-2">
          Enter keeps it, Shift Enter breaks the line.
        </span>
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

function write(draftKey: string, text: string): void {
  const { editing } = reviewDraftOf(draftKey)
  if (editing !== null) changeReviewDraft(draftKey, { editing: { ...editing, text } })
}

/** "line 19", "lines 19–22 as they were". */
export function placeWords({
  line,
  lastLine,
  side,
}: Pick<HalfComment, 'line' | 'lastLine' | 'side'>): string {
  const many = lastLine !== null && lastLine !== line
  const where = many ? `lines ${line}–${lastLine}` : `line ${line}`
  if (side === 'after') return where
  return `${where} as ${many ? 'they were' : 'it was'}`
}
