/** Questions of an external agent become forms in the panel of its agent. */
import type { CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk'
import { elicitedValues } from '../../../shared/elicitation-fields.ts'
import type { FormContent } from '../../../shared/form.ts'
import type { BackedAgent } from '../../runtime/agent-backing.ts'
import type { UpdateRecorder } from './update-recorder.ts'

export interface QuestionDeps {
  readonly agent: Pick<BackedAgent, 'askForm' | 'state'>
  readonly recorder: Pick<UpdateRecorder, 'callNamed'>
}

/**
 * Rejects if the user's values are not what the program asked for.
 *
 * @param signal closes the form
 */
export async function askProgramQuestion(
  request: CreateElicitationRequest,
  { agent, recorder }: QuestionDeps,
  signal: AbortSignal,
): Promise<CreateElicitationResponse> {
  const form = formOf(request, agent.state().definition.name)
  // A way of asking that this program does not know.
  if (form === null) return { action: 'decline' }
  const callId = 'toolCallId' in request && typeof request.toolCallId === 'string' ? request.toolCallId : null
  const toolUseId = (callId === null ? null : recorder.callNamed(callId)?.id) ?? 'acp-question'
  const answer = await agent.askForm({ toolUseId, toolName: 'acp_question', form }, signal)
  if (answer.action !== 'accept') return { action: answer.action }
  if (form.kind !== 'elicitation') return { action: 'accept' }
  const values = elicitedValues(form.schema, answer.values)
  if (!values.ok) throw new Error(values.failure.message)
  return { action: 'accept', content: values.value as Record<string, string> }
}

function formOf(request: CreateElicitationRequest, server: string): FormContent | null {
  const { message } = request
  if (request.mode === 'form' && 'requestedSchema' in request)
    return {
      kind: 'elicitation',
      server,
      message,
      schema: { ...(request.requestedSchema as Record<string, unknown>) },
    }
  if (request.mode === 'url' && 'url' in request && typeof request.url === 'string')
    return { kind: 'elicitation-url', server, message, url: request.url }
  return null
}
