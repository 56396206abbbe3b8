/** A comment on lines of a diff with its answer, and the field that edits one. */
import { Pencil, Trash2 } from 'lucide-react'
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
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
} from '../review-comments.ts'
import type { CommentAnswer, SentComment } from '../sent-comments.ts'

interface CommentRowProps {
  readonly draftKey: string
  readonly comment: DraftComment
  /** Whether the commented lines have changed since. */
  readonly stale: boolean
  /** Moves the focus back to the diff. */
  readonly onLeave: () => void
}

const BOX =
  'my-2 mr-3 ml-[calc(var(--digits)*1ch+3.4ch)] rounded-md border border-line-strong bg-bg-1 px-3 py-2 font-sans text-sm'

export function CommentRow({ draftKey, comment, stale, onLeave }: CommentRowProps) {
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
      <p className="mt-1 text-fg-2">“Ask agent…” sends all comments as one message.</p>
    </div>
  )
}

interface SentRowProps {
  readonly sent: SentComment
  readonly stale: boolean
}

/** A comment that was sent to the agent, with the agent's answer. */
export function SentCommentRow({ sent: { author, comment, state, answer }, stale }: SentRowProps) {
  return (
    <div className={BOX}>
      <p className="whitespace-pre-wrap text-fg-0 wrap-anywhere" data-selectable="" dir="auto">
        <b className="font-semibold">{author === undefined ? 'You' : <VisibleText>{author}</VisibleText>}</b>
        {' on '}
        {rangeText(comment)}: <VisibleText>{comment.text}</VisibleText>
      </p>
      {stale && <OldLines quote={comment.quote} />}
      <p className="mt-1 text-fg-2">{state}</p>
      {answer !== null && <Answer answer={answer} />}
    </div>
  )
}

/** Renders the markdown of an answer. Without a provider it is plain text. */
export const AnswerMarkdown = createContext<(text: string) => ReactNode>((text) => (
  <p className="whitespace-pre-wrap">{text}</p>
))

function Answer({ answer: { text, covers } }: { readonly answer: CommentAnswer }) {
  const [isOpen, setOpen] = useState(covers !== 'all')
  const markdown = use(AnswerMarkdown)
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend
    <div role="group" aria-label="Answer of the agent" className="mt-2 border-line-strong border-t pt-2">
      {covers !== 'one' && (
        <p className="flex flex-wrap items-center gap-x-2 text-fg-1">
          The agent answered all comments together.
          <Button variant="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide answer' : 'Show answer'}
          </Button>
        </p>
      )}
      <div id={id} hidden={!isOpen} data-selectable="" dir="auto" className="text-fg-0 wrap-anywhere">
        {isOpen && markdown(text)}
      </div>
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
