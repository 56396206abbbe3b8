/** The address of the page that shows one agent in a window of its own. */

export interface AgentRef {
  readonly agentId: string
  readonly conversationId: string
}

/** The search part of the page's address, with its question mark. */
export function agentPageSearch({ agentId, conversationId }: AgentRef): string {
  return `?agent=${encodeURIComponent(agentId)}&conversation=${encodeURIComponent(conversationId)}`
}

/** The agent that a page shows; null: the page is a whole window. */
export function agentOfPage(search: string): AgentRef | null {
  const found = new URLSearchParams(search)
  const agentId = found.get('agent')
  const conversationId = found.get('conversation')
  return agentId === null || conversationId === null ? null : { agentId, conversationId }
}
