/** Rows that the shown preview of going back to a message takes out. */
import { messageGoneBackTo, useChanges } from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'

/** How a row that is taken out looks. */
export const TAKEN_OUT = 'border-bad border-l-2 pl-2 line-through decoration-bad'

/** The `seq` from which rows of the agent are taken out; infinite: none. */
export function useTakenOutFrom(agentId: string): number {
  const isMain = useConversation(({ agents }) => agents.get(agentId)?.parentId === null)
  return useChanges((state) => (isMain ? messageGoneBackTo(state) : null)) ?? Number.POSITIVE_INFINITY
}
