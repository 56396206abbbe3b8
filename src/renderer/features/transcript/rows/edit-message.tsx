/** Editing an earlier message in place, and the buttons of a message that a branch can begin at. */
import { GitBranch, Pencil } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { branchAt, editMessage, useBranch } from '../../../stores/conversation-actions.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'

type UserMessage = Extract<TranscriptRow, { kind: 'user' }>

/** The text of the message while the user edits it; null: it is not being edited. */
export function useEdit({ messageId }: UserMessage): string | null {
  return useBranch(({ edit }) => (edit?.messageId === messageId ? edit.text : null))
}

interface EditMessageProps {
  readonly row: UserMessage
  readonly text: string
}

export function EditMessage({ row, text }: EditMessageProps) {
  const { messageId, seq, images } = row
  const busy = useBranch((state) => state.busy)
  const field = useRef<HTMLTextAreaElement>(null)
  // A row that scrolls back into view must not take the focus: only the beginning of an edit does.
  const isBegun = useRef(text === row.text)
  useEffect(() => {
    const { current } = field
    if (!isBegun.current || current === null) return
    current.focus()
    current.setSelectionRange(current.value.length, current.value.length)
  }, [])
  const isEmpty = text.trim() === '' && images.length === 0
  const send = () => {
    if (!isEmpty) void branchAt(seq, { text, images })
  }
  const cancel = () => {
    // The button returns before it takes the focus.
    flushSync(() => editMessage(null))
    document.querySelector<HTMLElement>(`[data-edit-message="${CSS.escape(messageId)}"]`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) send()
    // Escape must not reach the key that stops the agents.
    else if (event.key === 'Escape') {
      event.stopPropagation()
      cancel()
    } else return
    event.preventDefault()
  }
  return (
    <div className="w-full rounded-md border border-line-strong bg-bg-1 px-3 py-2 focus-within:border-accent">
      <textarea
        ref={field}
        aria-label="Edit message"
        dir="auto"
        value={text}
        onChange={({ target }) => editMessage({ messageId, text: target.value })}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-[38vh] min-h-6 w-full resize-none bg-transparent text-fg-0 leading-normal outline-none"
      />
      <div className="flex flex-wrap items-center justify-end gap-1.5 pt-1">
        <p className="min-w-40 flex-1 text-fg-2 text-sm">
          Continues in a branch. The original stays, and files stay as they are now.
        </p>
        <Button onClick={cancel}>Cancel</Button>
        <Button variant="primary" disabled={isEmpty || busy} focusableWhenDisabled onClick={send}>
          {busy && <Spinner size={10} />}
          Resend
        </Button>
      </div>
    </div>
  )
}

/** A longer text would make the field slow; it was pasted, not typed. In characters. */
const MOST_EDITED = 100_000

/** Plain buttons, because every message of the user has them. */
export function BranchButtons({ row }: { readonly row: UserMessage }) {
  return (
    <>
      <PlainButton
        icon={GitBranch}
        label="Branch from here"
        title="Branch from here: a new conversation with everything up to the answer to this message"
        onClick={() => void branchAt(row.seq, null)}
      />
      {row.text.length <= MOST_EDITED && (
        <PlainButton
          icon={Pencil}
          label="Edit and resend"
          title="Edit and resend"
          data-edit-message={row.messageId}
          onClick={() => editMessage({ messageId: row.messageId, text: row.text })}
        />
      )}
    </>
  )
}

interface PlainButtonProps extends Omit<React.ComponentProps<'button'>, 'type' | 'className'> {
  readonly icon: typeof Pencil
  readonly label: string
}

function PlainButton({ icon: Icon, label, ...rest }: PlainButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      aria-label={label}
      className="inline-grid size-[22px] shrink-0 place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0"
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden="true" />
    </button>
  )
}
