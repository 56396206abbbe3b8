/** A queued message as people see it: its words without what is put around them for its agent. */
import type { QueuedMessage } from '../../shared/ipc-contract.ts'
import { reportIn, withoutFrame } from '../../shared/message-frame.ts'

export function queuedText({ from, text }: Pick<QueuedMessage, 'from' | 'text'>): string {
  if (from === 'agent') return withoutFrame(text)
  return from === 'runtime' ? reportIn(text) : text
}

/** Whether a person may take it back: only what they wrote. What an agent wrote is for its reader. */
export function mayTakeBack({ from }: Pick<QueuedMessage, 'from'>): boolean {
  return from === 'user'
}
