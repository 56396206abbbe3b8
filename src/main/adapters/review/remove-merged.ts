/** Removes all worktrees whose work is merged. */
import type { RemovedWorktrees } from '../../../shared/review.ts'
import type { Repository } from '../git/repository.ts'
import { discardWorktree } from './discard-worktree.ts'
import { isInUse, type ReviewTools } from './review-tools.ts'

/** Removed worktrees can be restored like discarded ones. @returns the removed worktrees, and why the others stay */
export async function removeMerged(
  tools: ReviewTools,
  repository: Repository,
  ids: readonly string[] | null,
): Promise<RemovedWorktrees> {
  const removed: string[] = []
  const kept: { id: string; because: string }[] = []
  const records = await tools.records.ofRepository(repository.commonFolder)
  for (const record of records) {
    if ((record.state !== 'there' && record.state !== 'making') || ids?.includes(record.id) === false)
      continue
    if (await isInUse(record))
      kept.push({ id: record.id, because: `${record.owner.name} is still working in it` })
    else {
      const gone = await discardWorktree(tools, { repository, record }, { confirm: null })
      if (gone.ok) removed.push(record.id)
      else {
        const { failure } = gone
        kept.push({ id: record.id, because: failure.type === 'confirm' ? failure.stakes : failure.message })
      }
    }
  }
  return { removed, kept }
}
