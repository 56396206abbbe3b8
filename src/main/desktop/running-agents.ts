/** How many agents are at work, counted from what the runtime says about its conversations. */
import type { RuntimeDelta } from '../runtime/runtime.ts'

export interface RunningAgents {
  readonly count: number
  hear(delta: RuntimeDelta): void
}

export function countRunningAgents(): RunningAgents {
  const byConversation = new Map<string, number>()
  return {
    get count() {
      return [...byConversation.values()].reduce((sum, running) => sum + running, 0)
    },
    hear(delta) {
      if (delta.type === 'conversation') {
        if (delta.summary.running > 0) byConversation.set(delta.summary.id, delta.summary.running)
        else byConversation.delete(delta.summary.id)
      } else if (delta.type === 'conversation-gone') byConversation.delete(delta.conversationId)
    },
  }
}
