/** Asks whether an agent resumes with its old definition or with the current one. */
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { useAgentMention } from '../../stores/conversation-store.ts'
import { useResume } from '../../stores/resume-question.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'

interface ResumeQuestionCardProps {
  readonly agent: AgentState
  /** Moves the focus after the answer. */
  readonly onGone: () => void
}

export function ResumeQuestionCard({ agent, onGone }: ResumeQuestionCardProps) {
  const question = useResume((state) => state.questions.get(agent.id))
  const first = useRef<HTMLButtonElement>(null)
  const card = useRef<HTMLFieldSetElement>(null)
  const latest = useRef(onGone)
  latest.current = onGone
  const title = useId()
  useEffect(() => {
    // Opening the panel for the question focuses the panel first.
    const frame = requestAnimationFrame(() => first.current?.focus())
    return () => cancelAnimationFrame(frame)
  }, [])
  const mention = useAgentMention(agent.id)
  if (question === undefined) return null
  const { what, busy, answer } = question
  const choose = (choice: Parameters<typeof answer>[0]) => {
    answer(choice)
    if (choice !== 'renew') latest.current()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    choose('cancel')
  }
  return (
    <fieldset
      ref={card}
      aria-labelledby={title}
      aria-busy={busy}
      onKeyDown={onKeyDown}
      className="mx-2.5 mb-2.5 shrink-0 rounded-md border border-line-strong bg-bg-2 px-2.5 py-2"
    >
      <p id={title} className="pb-2 text-fg-0 text-sm">
        The definition of {mention} has changed since the agent started
        {what.length > 0 && ` (${what.join(', ')})`}.
      </p>
      <div className="flex flex-wrap gap-1.5">
        <Button ref={first} disabled={busy} focusableWhenDisabled onClick={() => choose('as-it-was')}>
          Keep old definition
        </Button>
        <Button disabled={busy} focusableWhenDisabled onClick={() => choose('renew')}>
          {busy && <Spinner size={10} />}
          Use new definition
        </Button>
        <Button variant="quiet" disabled={busy} focusableWhenDisabled onClick={() => choose('cancel')}>
          Cancel
        </Button>
      </div>
    </fieldset>
  )
}
