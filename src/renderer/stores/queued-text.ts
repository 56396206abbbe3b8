/** The display text of a queued message, without the frame for its agent. */
import type { QueuedMessagePreview } from '../../shared/conversation-snapshot.ts'
import { reportIn, withoutFrame } from '../../shared/message-frame.ts'

export function queuedText({ from, text }: Pick<QueuedMessagePreview, 'from' | 'text'>): string {
  if (from === 'agent') return withoutFrame(text)
  return from === 'runtime' ? reportIn(text) : text
}

/** Whether the user may remove the message: only their own messages, not those of agents. */
export function mayTakeBack({ from }: Pick<QueuedMessagePreview, 'from'>): boolean {
  return from === 'user'
}
