/** Trashes scratch conversations of earlier runs. No list shows them, so the user can't. */
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

/** Trashes the scratch conversations from before `startedAt` (ms since the epoch) that no process has locked. */
async function trashOldScratch(
  conversations: readonly ConversationSummary[],
  runtime: Pick<Runtime, 'trash'>,
  startedAt: number,
): Promise<void> {
  // A conversation that another process locks now is refused, and stays.
  for (const { id, scratch, readOnly, updatedAt } of conversations)
    if (scratch && !readOnly && updatedAt < startedAt) await runtime.trash(id)
}

export type ScratchTrash = (...arguments_: Parameters<typeof trashOldScratch>) => void

/** Trashes at the first call only: later scratch conversations are in use, in one of the windows. */
export function createScratchTrash(): ScratchTrash {
  let isDone = false
  return (...found) => {
    if (isDone) return
    isDone = true
    trashOldScratch(...found).catch(() => {})
  }
}
