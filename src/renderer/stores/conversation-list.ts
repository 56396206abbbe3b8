/** The conversations of all folders, the most recently used first. */
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { useConversation } from './conversation-store.ts'
import { useSession } from './session-store.ts'

const { getState: get, setState: set } = useSession

/** Adds the loaded list. Summaries that arrived during loading are newer than their entries in the list. */
export function takeConversations(list: readonly ConversationSummary[]): void {
  const newer = get().conversations
  const others = list.filter(({ id, scratch }) => !scratch && !newer.some((other) => id === other.id))
  set({ listed: true, conversations: byLastUse([...newer, ...others]) })
}

export function takeConversation(summary: ConversationSummary): void {
  if (!summary.scratch)
    set(({ conversations }) => ({
      conversations: byLastUse([...conversations.filter((other) => other.id !== summary.id), summary]),
    }))
  const { record } = useConversation.getState()
  if (record?.id === summary.id && record.title !== summary.title)
    useConversation.setState({ record: { ...record, title: summary.title } })
}

export function dropConversation(conversationId: string): void {
  set(({ conversations }) => ({
    conversations: conversations.filter((other) => other.id !== conversationId),
  }))
}

function byLastUse(conversations: readonly ConversationSummary[]): readonly ConversationSummary[] {
  return conversations.toSorted((a, b) => b.updatedAt - a.updatedAt)
}
