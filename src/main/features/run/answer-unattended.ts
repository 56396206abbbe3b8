/** Answers for a user who is not there: a request is denied with the reason, a form is canceled. */
import type { AgentEvent, EventOf } from '../../../shared/events/agent-event.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

/** To be called with each event of an agent. */
export function answerUnattended(runtime: Runtime, conversationId: string, event: AgentEvent): void {
  const { agentId } = event
  // The agent waits for the answer only after all subscribers have the request.
  if (event.type === 'permission-asked')
    queueMicrotask(
      () =>
        void runtime.dispatch({
          type: 'agent.answer',
          conversationId,
          agentId,
          requestId: event.requestId,
          answer: { decision: 'deny', unattended: true, feedback: refusalFor(event) },
        }),
    )
  // A worker's agent opened a form: nobody answers it here.
  if (event.type === 'form-opened')
    queueMicrotask(
      () =>
        void runtime.dispatch({
          type: 'agent.answerForm',
          conversationId,
          agentId,
          formId: event.formId,
          answer: { action: 'cancel', reason: 'unattended' },
        }),
    )
}

/** The feedback of a permission request that no user can answer: the cause, and what would allow the call. */
export function refusalFor({
  subject,
  because,
  remedy,
}: Pick<EventOf<'permission-asked'>, 'because' | 'remedy'> &
  Partial<Pick<EventOf<'permission-asked'>, 'subject'>>): string {
  const ran = subject?.kind === 'command' ? ' Nothing of the command was run.' : ''
  return `Permission denied: this run has no user to ask. ${sentence(because)}${ran} ${remedy} Continue without it and report it.`
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
