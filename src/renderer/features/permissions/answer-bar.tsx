/** The answers to one or several requests: buttons of equal weight, or the field for feedback with a denial. */
import { Plug } from 'lucide-react'
import type { ExternalAgentChoice } from '../../../shared/external-agents/external-agent.ts'
import { Button } from '../../ui/button.tsx'
import { FeedbackForm } from '../../ui/feedback-form.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'

interface AnswerBarProps {
  /** Who reads the feedback: "tester", "3 agents". */
  readonly to: string
  /** The number of requests that are answered together; null: one request alone. */
  readonly amount: number | null
  readonly large: boolean
  /** Whether the field for feedback is open. */
  readonly denying: boolean
  readonly answerable: boolean
  readonly isSending: boolean
  readonly failure: string | null
  readonly once: () => void
  /** Null: no rule can be saved. */
  readonly always: (() => void) | null
  /** Answers of the agent's program. One that allows once replaces the plain permission. */
  readonly choices?: readonly ExternalAgentChoice[]
  readonly onChoose?: (choice: ExternalAgentChoice) => void
  readonly onDeny: () => void
  readonly onDenied: (feedback: string | null) => void
  readonly onBack: () => void
}

export function AnswerBar(props: AnswerBarProps) {
  const { to, amount, large, denying, answerable, isSending, failure, once, always } = props
  const { choices = [], onChoose } = props
  const first = choices.find(({ kind }) => kind === 'once')
  const these = amount === null ? '' : ` ${amount}`
  const disabled = isSending || amount === 0
  return (
    <div className={classNames('shrink-0', large ? 'border-line border-t px-4 pt-1 pb-3' : '')}>
      {!answerable ? (
        <p className="mt-1.5 text-fg-1">This conversation is open in another program. Answer there.</p>
      ) : denying ? (
        <FeedbackForm
          action={`Deny${these}`}
          label={`Feedback for ${to}`}
          placeholder={`What should ${to} do instead? (optional)`}
          sending={isSending}
          onSend={props.onDenied}
          onBack={props.onBack}
        />
      ) : (
        <div className="flex flex-wrap items-center gap-1.5 pt-[7px]">
          {first === undefined && (
            <Button disabled={disabled} onClick={once}>
              Allow{these} once <Kbd keys="A" />
            </Button>
          )}
          {choices.map((choice) => (
            <Button key={choice.id} disabled={disabled} onClick={() => onChoose?.(choice)}>
              {choice !== first && <Plug size={11} strokeWidth={1.75} aria-hidden="true" />}
              <VisibleText>{choice.name}</VisibleText> {choice === first && <Kbd keys="A" />}
            </Button>
          ))}
          {always !== null && (
            <Button disabled={disabled} onClick={always}>
              Always allow{these} <Kbd keys="Shift A" />
            </Button>
          )}
          <Button disabled={disabled} onClick={props.onDeny}>
            Deny{these}… <Kbd keys="D" />
          </Button>
          {large && always !== null && (
            <span className="ml-auto text-fg-2 text-xs">
              Rules stay on this machine, never in the repository.
            </span>
          )}
          {amount === 0 && (
            <span className="text-fg-1 text-xs">
              No request is ticked. Tick one with Space, or all with T.
            </span>
          )}
        </div>
      )}
      {failure !== null && (
        <p role="alert" className="mt-1.5 text-bad">
          {failure}
        </p>
      )}
    </div>
  )
}
