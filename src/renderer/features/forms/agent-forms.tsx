/** An agent's oldest open form, at the foot of its panel. */
import type { ReactNode } from 'react'
import type { FormAnswer, PendingForm } from '../../../shared/forms/form.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { agentName, requestPlace } from '../../ui/text/agent-text.ts'
import { FormCard, type FormCardProps } from './form-card.tsx'

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
      agentName={agentName(agent)}
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
