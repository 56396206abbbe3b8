/** A text for an agent that goes with a refusal. Enter sends it, Escape goes back. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Kbd } from './kbd.tsx'
import { INPUT_CLASS } from './text-field.tsx'

interface FeedbackFormProps {
  /** The button that sends: "Deny". */
  readonly action: string
  readonly label: string
  readonly placeholder: string
  readonly sending: boolean
  /** Null: the user wrote nothing. */
  readonly onSend: (feedback: string | null) => void
  readonly onBack: () => void
}

export function FeedbackForm({ action, label, placeholder, sending, onSend, onBack }: FeedbackFormProps) {
  const [feedback, setFeedback] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const send = () => onSend(feedback.trim() === '' ? null : feedback.trim())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onBack()
    else if (event.key === 'Enter' && !event.shiftKey) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="mt-[7px] flex shrink-0 flex-col gap-1.5">
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        aria-label={label}
        placeholder={placeholder}
        value={feedback}
        maxLength={10_000}
        onChange={(event) => setFeedback(event.target.value)}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} resize-none py-1.5 text-sm`}
      />
      <div className="flex gap-1.5">
        <Button disabled={sending} onClick={send}>
          {action} <Kbd keys="Enter" />
        </Button>
        <Button disabled={sending} onClick={onBack}>
          Back <Kbd keys="Esc" />
        </Button>
      </div>
    </div>
  )
}
