import { command } from '../bridge.ts'
import { useConversation } from './conversation-store.ts'
import { useSession } from './session-store.ts'

/** A notification of the system, with the number of pending questions in all conversations as the badge. */
export function notify(title: string, body: string): void {
  const { conversations, conversationId } = useSession.getState()
  const elsewhere = conversations.reduce(
    (sum, { id, requests }) => (id === conversationId ? sum : sum + requests),
    0,
  )
  const needsYou = elsewhere + useConversation.getState().needs.length
  void command('system.notify', { title: title.slice(0, 200), body: body.slice(0, 500), needsYou })
}
