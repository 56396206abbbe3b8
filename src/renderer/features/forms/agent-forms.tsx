/** An agent's oldest open form, at the foot of its panel. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { PendingForm } from '../../../shared/events/agent-event.ts'
import { type FormAnswer, formAction } from '../../../shared/forms/form.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { agentTitleNow, useAgent, useConversation } from '../../stores/conversation-store.ts'
import { useNoAnswerReason } from '../../stores/replay-store.ts'
import { FeedbackForm } from '../../ui/feedback-form.tsx'
import { elapsedMs } from '../../ui/machine.ts'
import { requestPlace } from '../../ui/text/agent-text.ts'
import { useRequestFocus } from '../../ui/use-focus.ts'
import { ElicitationForm } from './elicitation-form.tsx'
import { activates, dropFormDraft, type FormPartProps, takesText, useFormDraft } from './form-parts.tsx'
import { PageForm, PlanForm } from './plan-form.tsx'
import { QuestionsForm } from './questions-form.tsx'

interface AgentFormsProps extends Pick<FormCardProps, 'renderMarkdown'> {
  readonly agentId: string
}

/** Renders nothing while the agent has no open form. */
export function AgentForms({ agentId, renderMarkdown }: AgentFormsProps) {
  const forms = useAgent(agentId)?.forms ?? NO_FORMS
  const [form] = forms
  if (form === undefined) return null
  const position = forms.length > 1 ? `and ${forms.length - 1} more` : undefined
  return <AgentForm agentId={agentId} form={form} position={position} renderMarkdown={renderMarkdown} />
}

const NO_FORMS: readonly PendingForm[] = []

interface AgentFormProps extends AgentFormsProps {
  readonly form: PendingForm
  readonly position?: ReactNode
}

/** One form of an agent. */
export function AgentForm({ agentId, form, position, renderMarkdown }: AgentFormProps) {
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  if (agent === undefined) return null
  return (
    <FormCard
      key={form.formId}
      agentName={agentTitleNow(agent)}
      place={requestPlace(agent)}
      pending={form}
      position={position}
      answerable={!readOnly}
      renderMarkdown={renderMarkdown}
      onAnswer={(answer) => answerForm({ agentId, formId: form.formId, answer })}
    />
  )
}

interface GivenAnswer {
  readonly agentId: string
  readonly formId: string
  readonly answer: FormAnswer
}

async function answerForm(given: GivenAnswer): Promise<Answer<void>> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null)
    return { ok: false, failure: { type: 'gone', message: 'This conversation is no longer open.' } }
  return command('agent.answerForm', { conversationId, ...given })
}

/** A form of an agent: who asks what, the part for the kind of form, and the refusal. */
export interface FormCardProps {
  readonly agentName: string
  /** Where the agent runs, unless in this program: "on build-7". */
  readonly place?: string | null
  readonly pending: PendingForm
  /** Position among the pending requests, such as "1 of 3". */
  readonly position?: ReactNode
  /** False while another program has the conversation open. */
  readonly answerable?: boolean
  readonly renderMarkdown: (text: string) => ReactNode
  readonly onAnswer: (answer: FormAnswer) => Promise<Answer<void>>
}

/** Keys are ignored this long after a form appears (ms): a key pressed earlier was meant for something else. */
const GRACE_MS = 400

const NO_KEYS = () => false

/** Pass the form's id as `key`: each form needs its own state. */
export function FormCard(props: FormCardProps) {
  const { agentName, place = null, pending, position, answerable = true, renderMarkdown, onAnswer } = props
  const { form, formId } = pending
  const card = useRef<HTMLFieldSetElement>(null)
  const since = useRef(0)
  const keys = useRef<(event: KeyboardEvent) => boolean>(NO_KEYS)
  const [declining, setDeclining] = useState(false)
  const [state, setState] = useState<'asking' | 'sending' | { readonly failure: string }>('asking')
  /** A ref changes before the next render, so a second click can't answer twice. */
  const sending = useRef(false)
  const title = useId()
  const reason = useNoAnswerReason()
  const draft = useFormDraft(formId)
  useRequestFocus(card)
  useEffect(() => {
    since.current = elapsedMs()
  }, [])

  const answer = (given: FormAnswer) => {
    if (sending.current || !answerable) return
    sending.current = true
    setState('sending')
    void onAnswer(given).then((answered) => {
      if (answered.ok) return dropFormDraft(formId)
      sending.current = false
      setState({ failure: answered.failure.message })
    })
  }
  const hasFeedback = form.kind === 'questions' || form.kind === 'plan'
  const decline = () => (hasFeedback ? setDeclining(true) : answer({ action: 'decline', feedback: null }))
  const focusCard = () => card.current?.focus({ preventScroll: true })

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.repeat || event.nativeEvent.isComposing) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const inField = takesText(event.target)
    if (event.key === 'Escape' && leave(card.current, inField)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const isReady = answerable && !declining && state !== 'sending'
    if (inField || activates(event) || !isReady || elapsedMs() - since.current < GRACE_MS) return
    if (event.key.toLowerCase() === 'd' && !event.shiftKey) decline()
    else if (!keys.current(event)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const part = {
    draft,
    sending: state === 'sending',
    send: (values: Readonly<Record<string, unknown>>) => answer({ action: 'accept', values: { ...values } }),
    decline,
    keys,
    leaveField: focusCard,
  }

  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-labelledby={title}
      data-form={formId}
      onKeyDown={onKeyDown}
      className="@container flex min-h-0 min-w-0 flex-col gap-1.5 rounded-md border border-[color-mix(in_oklab,var(--needs-you)_50%,var(--line))] bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))] px-2.5 py-2 text-sm outline-none focus-visible:border-needs-you"
    >
      <div className="flex shrink-0 items-baseline justify-between gap-3">
        <p id={title} className="min-w-0 text-fg-0 wrap-anywhere">
          <b className="font-semibold">{agentName}</b> {formAction(form)}
          {place !== null && <span className="text-fg-2"> {place}</span>}
        </p>
        {position !== undefined && <span className="shrink-0 text-fg-2 text-xs">{position}</span>}
      </div>
      {!answerable && <p className="text-fg-1">{reason}</p>}
      {declining ? (
        <FeedbackForm
          action={form.kind === 'plan' ? 'Keep planning' : 'Decline'}
          label={`Feedback for ${agentName}`}
          placeholder={
            form.kind === 'plan'
              ? 'What should change in the plan? (optional)'
              : 'Why, or what to do instead? (optional)'
          }
          sending={state === 'sending'}
          onSend={(feedback) => answer({ action: 'decline', feedback })}
          onBack={() => {
            setDeclining(false)
            focusCard()
          }}
        />
      ) : (
        answerable && <FormPart form={form} part={part} renderMarkdown={renderMarkdown} />
      )}
      {typeof state === 'object' && (
        <p role="alert" className="shrink-0 text-bad">
          {state.failure}
        </p>
      )}
    </fieldset>
  )
}

interface PartProps extends Pick<FormCardProps, 'renderMarkdown'> {
  readonly form: PendingForm['form']
  readonly part: Omit<FormPartProps<never>, 'form'>
}

function FormPart({ form, part, renderMarkdown }: PartProps) {
  switch (form.kind) {
    case 'questions':
      return <QuestionsForm form={form} {...part} />
    case 'plan':
      return <PlanForm form={form} {...part} renderMarkdown={renderMarkdown} />
    case 'elicitation':
      return <ElicitationForm form={form} {...part} />
    case 'elicitation-url':
      return <PageForm form={form} {...part} />
  }
}

/** Escape leaves a field to its card, and the card to its panel. In a dialog or drawer the card leaves Escape to that. */
function leave(card: HTMLElement | null, inField: boolean): boolean {
  if (card === null) return false
  if (inField) card.focus({ preventScroll: true })
  else if (card.closest('[role="dialog"], [data-request-drawer]')) return false
  else {
    const scope = card.closest<HTMLElement>('[data-request-scope]')
    if (scope?.hasAttribute('tabindex')) scope.focus({ preventScroll: true })
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  }
  return true
}
