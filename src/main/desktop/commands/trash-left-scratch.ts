/** Throws away what was being tried out when the program ended: it is in no list, so nobody else would. */
import type { ConversationSummary } from '../../../shared/ipc-contract.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** Scratch conversations from before `startedAt` (ms since 1970) that no process holds. To the trash, like all else. */
export async function trashLeftScratch(
  conversations: readonly ConversationSummary[],
  runtime: Pick<Runtime, 'trash'>,
  startedAt: number,
): Promise<void> {
  // One that another process takes at this moment is refused, and stays.
  for (const { id, scratch, readOnly, updatedAt } of conversations)
    if (scratch && !readOnly && updatedAt < startedAt) await runtime.trash(id)
}
