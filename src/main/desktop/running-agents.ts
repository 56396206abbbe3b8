/** Counts running agents and pending permission requests over all conversations, from the runtime's deltas. */
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'

export interface RunningAgents {
  /** In all folders. */
  readonly count: { readonly agents: number; readonly requests: number }
  /** The conversations with running agents. With a folder's real path: in this folder. */
  conversations(folder?: string): readonly ConversationSummary[]
  onDelta(delta: RuntimeDelta): void
}

export function countRunningAgents(): RunningAgents {
  const byId = new Map<string, ConversationSummary>()
  return {
    get count() {
      let [agents, requests] = [0, 0]
      for (const summary of byId.values()) {
        agents += summary.running
        requests += summary.requests
      }
      return { agents, requests }
    },
    conversations: (folder) =>
      [...byId.values()].filter((summary) => folder === undefined || summary.folder === folder),
    onDelta(delta) {
      if (delta.type === 'conversation') {
        if (delta.summary.running > 0) byId.set(delta.summary.id, delta.summary)
        else byId.delete(delta.summary.id)
      } else if (delta.type === 'conversation-gone') byId.delete(delta.conversationId)
    },
  }
}

/** The number of running agents in these conversations. */
export function agentsIn(conversations: readonly ConversationSummary[]): number {
  return conversations.reduce((sum, { running }) => sum + running, 0)
}
