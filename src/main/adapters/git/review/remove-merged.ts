/** Removes all worktrees whose work is merged, and says why the others stay. */
import type { Repository } from '../repository.ts'
import { discardWorktree } from './discard-worktree.ts'
import { isInUse, type ReviewTools } from './review-tools.ts'

export interface RemovedWorktrees {
  readonly removed: readonly string[]
  readonly kept: readonly { readonly id: string; readonly because: string }[]
}

/** One after the other. Those that are removed can be brought back like any that was discarded. */
export async function removeMerged(tools: ReviewTools, repository: Repository): Promise<RemovedWorktrees> {
  const removed: string[] = []
  const kept: { id: string; because: string }[] = []
  const records = await tools.records.ofRepository(repository.commonFolder)
  for (const record of records.filter(({ state }) => state === 'there' || state === 'making')) {
    if (await isInUse(record)) kept.push({ id: record.id, because: `${record.owner.name} still works in it` })
    else {
      const gone = await discardWorktree(tools, { repository, record }, null)
      if (gone.ok) removed.push(record.id)
      else kept.push({ id: record.id, because: reasonOf(gone.failure.message) })
    }
  }
  return { removed, kept }
}

/** Without the invitation to type a name: nothing is discarded here that is not merged. */
const reasonOf = (message: string): string => message.split('. To discard it', 1)[0] ?? message
