/** Notifies of conversations that no window shows. A window notifies of its own conversation itself. */
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'

interface Notice {
  readonly title: string
  readonly body: string
}

interface UnshownConversationsOptions {
  readonly isShown: (conversationId: string) => boolean
  readonly notify: (notice: Notice, conversation: ConversationSummary) => void
}

/** @returns a listener for the runtime's deltas */
export function watchUnshownConversations(options: UnshownConversationsOptions) {
  const last = new Map<string, ConversationSummary>()
  return (delta: RuntimeDelta): void => {
    if (delta.type === 'conversation-gone') last.delete(delta.conversationId)
    if (delta.type !== 'conversation') return
    const { summary } = delta
    const before = last.get(summary.id)
    last.set(summary.id, summary)
    // Without a title it has no message yet: its main agent was created, and has done nothing.
    if (summary.scratch || summary.title === '' || options.isShown(summary.id)) return
    if (summary.requests > (before?.requests ?? 0))
      options.notify(
        { title: `${summary.title} needs you`, body: 'An agent waits for your answer.' },
        summary,
      )
    else if (summary.running === 0 && (before?.running ?? 0) > 0)
      options.notify({ title: 'All agents are done', body: summary.title }, summary)
  }
}
