/** The message of a merge commit: a proposal as text that the user may change, kept as a draft until the merge. */
import { type ClipboardEvent, useId } from 'react'
import {
  MESSAGE_LENGTH,
  mergeMessage,
  messageText,
  SUBJECT_LENGTH,
} from '../../../shared/worktrees/merge-message.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { EMPTY_DRAFT, setDraft, useDrafts } from '../../stores/draft-store.ts'
import { Button } from '../../ui/button.tsx'
import { count } from '../../ui/text/format.ts'
import { INPUT_CLASS, TextField } from '../../ui/text-field.tsx'

interface MessageParts {
  readonly subject: string
  readonly body: string
}

export interface CommitMessage extends MessageParts {
  /** Whether the user changed the proposal. */
  readonly isChanged: boolean
  /** Why the message can't be used; null: it can. */
  readonly problem: string | null
  /** The changed message; null: the proposal. */
  readonly text: string | null
  readonly change: (part: Partial<MessageParts>) => void
  /** Takes the proposal again, and after a merge deletes the draft. */
  readonly reset: () => void
}

/** The message for merging a worktree, the same wherever it is shown. The proposal depends on the method. */
export function useCommitMessage(
  folder: string,
  worktree: ReviewWorktree,
  method: 'merge' | 'squash',
): CommitMessage {
  const key = `merge-message:${folder}:${worktree.id}`
  const kept = useDrafts(({ drafts }) => drafts[key]?.text ?? '')
  const proposal = mergeMessage(worktree, method)
  const written = partsOf(kept)
  const { subject, body } = written ?? proposal
  const isChanged = written !== null
  return {
    ...{ subject, body, isChanged },
    problem: problemOf({ subject, body }),
    text: isChanged ? messageText({ subject, body }) : null,
    change: (part) =>
      setDraft(key, { ...EMPTY_DRAFT, text: `${JSON.stringify({ subject, body, ...part })}\n` }),
    reset: () => setDraft(key, EMPTY_DRAFT),
  }
}

/** The last line that can be read counts: what is stored is put in front of what was written meanwhile. Null: none. */
function partsOf(kept: string): MessageParts | null {
  for (const line of kept.split('\n').reverse()) {
    try {
      const { subject, body } = JSON.parse(line) as Partial<MessageParts>
      if (typeof subject === 'string' && typeof body === 'string') return { subject, body }
    } catch {
      // A broken line counts as none.
    }
  }
  return null
}

function problemOf(parts: MessageParts): string | null {
  if (parts.subject.trim() === '') return 'A commit needs a subject.'
  const over = messageText(parts).length - MESSAGE_LENGTH
  return over > 0 ? `The commit message is ${count(over, 'character')} too long.` : null
}

export function CommitMessageFields({ message }: { readonly message: CommitMessage }) {
  const { subject, body, isChanged, problem, change, reset } = message
  const id = useId()
  // The first line of a pasted text is the subject.
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const [first = '', ...rest] = event.clipboardData
      .getData('text')
      .replace(/\r\n?/g, '\n')
      .trim()
      .split('\n')
    if (rest.length === 0) return
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    const added = rest.join('\n').trim()
    change({
      subject: subject.slice(0, selectionStart ?? 0) + first + subject.slice(selectionEnd ?? subject.length),
      body: [added, isChanged ? body : ''].filter((part) => part !== '').join('\n\n'),
    })
  }
  const long = subject.trim().length > SUBJECT_LENGTH
  return (
    <fieldset className="grid gap-1.5">
      <legend className="sr-only">Commit message</legend>
      <div className="relative">
        <TextField
          label="Commit subject"
          dir="auto"
          spellCheck
          value={subject}
          error={problem}
          hint={
            long && problem === null
              ? `${subject.trim().length} characters. Most tools cut a subject after ${SUBJECT_LENGTH}.`
              : null
          }
          onPaste={onPaste}
          onChange={(event) => change({ subject: event.target.value })}
        />
        {isChanged && (
          <Button variant="quiet" className="-top-1 absolute right-0" onClick={reset}>
            Use proposal
          </Button>
        )}
      </div>
      <label htmlFor={id} className="grid gap-1 text-fg-1 text-sm">
        Commit body
        <textarea
          id={id}
          rows={Math.min(8, Math.max(2, body.split('\n').length))}
          dir="auto"
          value={body}
          onChange={(event) => change({ body: event.target.value })}
          className={`${INPUT_CLASS} max-h-60 resize-y py-1.5`}
        />
      </label>
    </fieldset>
  )
}
