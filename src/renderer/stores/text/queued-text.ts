/** The display text of a queued message, without the frame for its agent. */

import { reportIn, withoutFrame } from '../../../shared/messages/message-frame.ts'
import type { QueuedMessagePreview } from '../../../shared/state/conversation-snapshot.ts'

export function queuedText({ from, text }: Pick<QueuedMessagePreview, 'from' | 'text'>): string {
  if (from === 'agent') return withoutFrame(text)
  return from === 'runtime' ? reportIn(text) : text
}

/** Whether the user may remove the message: only their own messages, not those of agents. */
export function mayTakeBack({ from }: Pick<QueuedMessagePreview, 'from'>): boolean {
  return from === 'user'
}
