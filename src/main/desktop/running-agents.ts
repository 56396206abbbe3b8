/** Counts running agents over all conversations, from the runtime's deltas. */
import type { RuntimeDelta } from '../runtime/runtime.ts'

export interface RunningAgents {
  readonly count: number
  onDelta(delta: RuntimeDelta): void
}

export function countRunningAgents(): RunningAgents {
  const byConversation = new Map<string, number>()
  return {
    get count() {
      return [...byConversation.values()].reduce((sum, running) => sum + running, 0)
    },
    onDelta(delta) {
      if (delta.type === 'conversation') {
        if (delta.summary.running > 0) byConversation.set(delta.summary.id, delta.summary.running)
        else byConversation.delete(delta.summary.id)
      } else if (delta.type === 'conversation-gone') byConversation.delete(delta.conversationId)
    },
  }
}
