/** The answers to one or several requests: a row of buttons that keep their places, or the field for feedback. */
import { Plug } from 'lucide-react'
import type { ExternalAgentChoice } from '../../../shared/external-agents/external-agent.ts'
import { useNoAnswerReason } from '../../stores/replay-store.ts'
import { Button } from '../../ui/button.tsx'
import { FeedbackForm } from '../../ui/feedback-form.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'

interface AnswerBarProps {
  /** Who reads the feedback: "Trace the retry path", "3 agents". */
  readonly to: string
  /** The number of requests that are answered together; null: one request alone. */
  readonly amount: number | null
  /** `panel`: a row at the foot, with a line above. `entry`: in a list, which shows the keys of the current entry only. */
  readonly look: 'panel' | 'entry'
  readonly hasKeys?: boolean
  /** Whether the field for feedback is open. */
  readonly denying: boolean
  readonly answerable: boolean
  /** False for a moment after the buttons appeared or moved. */
  readonly isSettled: boolean
  readonly isSending: boolean
  readonly failure: string | null
  readonly once: () => void
  /** Null: no rule can be saved. */
  readonly always: (() => void) | null
  /** What "Always allow" does, or why it is off. */
  readonly alwaysHint: string
  /** Answers of the agent's program. One that allows once replaces the plain permission. */
  readonly choices?: readonly ExternalAgentChoice[]
  readonly onChoose?: (choice: ExternalAgentChoice) => void
  readonly onDeny: () => void
  readonly onDenied: (feedback: string | null) => void
  readonly onBack: () => void
}

export function AnswerBar(props: AnswerBarProps) {
  const { to, amount, look, hasKeys = true, denying, answerable, isSending, failure, once, always } = props
  const { choices = [], onChoose } = props
  const first = choices.find(({ kind }) => kind === 'once')
  const own = choices.filter((choice) => choice !== first)
  const these = amount === null ? '' : ` ${amount}`
  const busy = isSending || !props.isSettled
  const answer = {
    ...(busy || amount === 0 ? { disabled: true, focusableWhenDisabled: true } : {}),
    // A moment without effect is no reason to look different.
    ...(busy && amount !== 0 ? { 'aria-busy': true } : {}),
    className: 'w-full min-w-0 px-0 h-[1.625rem]',
  }
  const reason = useNoAnswerReason()
  const key = (keys: string) => hasKeys && <Kbd keys={keys} />
  return (
    <div
      className={classNames(
        'shrink-0',
        look === 'panel' && 'border-[color-mix(in_oklab,var(--needs-you)_18%,var(--line))] border-t px-2.5',
      )}
    >
      {!answerable ? (
        <p className="py-2 text-fg-1 text-sm">{reason}</p>
      ) : denying ? (
        <div className="pb-2">
          <FeedbackForm
            action={`Deny${these}`}
            label={`Feedback for ${to}`}
            placeholder={`What should ${to} do instead? (optional)`}
            sending={isSending}
            onSend={props.onDenied}
            onBack={props.onBack}
          />
        </div>
      ) : (
        <>
          <div
            className={classNames(
              'grid items-center gap-1.5',
              amount === null
                ? 'grid-cols-[6.5rem_8.875rem_5.5rem] @max-[22.9rem]:grid-cols-[6.5rem_6.125rem_5.5rem]'
                : 'grid-cols-[7.75rem_9rem_6.625rem]',
              look === 'panel' ? 'h-[2.625rem]' : 'h-[1.625rem]',
            )}
          >
            <Button {...answer} onClick={first === undefined ? once : () => onChoose?.(first)}>
              {first === undefined ? (
                `Allow${these} once`
              ) : (
                <span className="truncate">
                  <VisibleText>{first.name}</VisibleText>
                </span>
              )}
              {key('A')}
            </Button>
            <Button
              {...answer}
              {...(always === null && { disabled: true, 'aria-busy': undefined })}
              title={props.alwaysHint}
              onClick={() => always?.()}
            >
              Always allow{these}
              {amount !== null && '…'}
              <span className="@max-[22.9rem]:hidden">{key('Shift A')}</span>
            </Button>
            <Button {...answer} onClick={props.onDeny}>
              Deny{these}… {key('D')}
            </Button>
          </div>
          {own.length > 0 && (
            <div className={classNames('flex flex-wrap gap-1.5', look === 'panel' ? 'pb-2' : 'pt-1.5')}>
              {own.map((choice) => (
                <Button
                  key={choice.id}
                  {...answer}
                  className="h-[1.625rem]"
                  onClick={() => onChoose?.(choice)}
                >
                  <Plug size={11} strokeWidth={1.75} aria-hidden="true" />
                  <VisibleText>{choice.name}</VisibleText>
                </Button>
              ))}
            </div>
          )}
          {amount === 0 && (
            <p className="pt-1 text-fg-1 text-xs">
              No request is selected. Select one with Space, or all with T.
            </p>
          )}
        </>
      )}
      {failure !== null && (
        <p role="alert" className="pb-2 text-bad text-sm">
          {failure}
        </p>
      )}
    </div>
  )
}
