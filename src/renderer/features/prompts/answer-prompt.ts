/** Sends a person's answer on its way. */
import type { Answer } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import type { Decision } from './permission-prompt.tsx'

export async function answerPrompt(
  agentId: string,
  promptId: string,
  decision: Decision,
  words: string | null,
): Promise<Answer<void>> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null)
    return { ok: false, failure: { type: 'gone', message: 'This conversation is no longer open.' } }
  return command('agent.answer', { conversationId, agentId, promptId, decision, words })
}
