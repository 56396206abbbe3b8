/** Sends the user's answer to a permission request. */
import type { Answer } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import type { Decision } from './permission-request-card.tsx'

export interface RequestAnswer {
  readonly agentId: string
  readonly requestId: string
  readonly decision: Decision
  readonly feedback: string | null
}

export async function answerRequest(answer: RequestAnswer): Promise<Answer<void>> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null)
    return { ok: false, failure: { type: 'gone', message: 'This conversation is no longer open.' } }
  return command('agent.answer', { conversationId, ...answer })
}
