/** A queued message as people see it: its words without what is put around them for its agent. */
import type { QueuedMessagePreview } from '../../shared/conversation-snapshot.ts'
import { reportIn, withoutFrame } from '../../shared/message-frame.ts'

export function queuedText({ from, text }: Pick<QueuedMessagePreview, 'from' | 'text'>): string {
  if (from === 'agent') return withoutFrame(text)
  return from === 'runtime' ? reportIn(text) : text
}

/** Whether a person may take it back: only what they wrote. What an agent wrote is for its reader. */
export function mayTakeBack({ from }: Pick<QueuedMessagePreview, 'from'>): boolean {
  return from === 'user'
}
