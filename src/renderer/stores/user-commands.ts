/** Commands that the user runs in the folder with `!`. */
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import { command } from '../bridge.ts'
import { shownOrNewConversation } from './conversation-actions.ts'
import { useConversation } from './conversation-store.ts'
import { showFailure } from './overlay-store.ts'

/** The command of a draft: `!npm test`; null: the text is a message. A space before the mark makes it one. */
export function commandIn(text: string): string | null {
  if (!text.startsWith('!')) return null
  const line = text.slice(1).trim()
  return line === '' ? null : line
}

/** Runs a command in the folder of the shown conversation, or of a new one. */
export async function runUserCommand(line: string): Promise<Answer<unknown>> {
  const conversation = await shownOrNewConversation()
  if (!conversation.ok) return conversation
  return command('conversation.runCommand', { conversationId: conversation.value, command: line })
}

export async function stopUserCommand(commandId: string): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const answer = await command('conversation.stopCommand', { conversationId, commandId })
  if (!answer.ok) showFailure(answer.failure)
}

/** Sets whether the output goes to the main agent with the next message. */
export async function shareUserCommand(commandId: string, share: boolean): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const answer = await command('conversation.shareCommand', { conversationId, commandId, share })
  if (!answer.ok) showFailure(answer.failure)
}
