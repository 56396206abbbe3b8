/** Tells the runtime of merges that were made outside the window, as lists of worktrees show them. */
import type { ReviewSnapshot } from '../../../shared/worktrees/review.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

type FoundMerge = Parameters<Runtime['mergesFound']>[1][number]

/** @returns a function for each new list; each merge is told once */
export function createOutsideMerges(
  tell: Runtime['mergesFound'],
): (snapshot: Pick<ReviewSnapshot, 'worktrees'>) => Promise<void> {
  const told = new Set<string>()
  return async ({ worktrees }) => {
    const merges = new Map<string, FoundMerge[]>()
    for (const { conversationId, agentId, merged } of worktrees) {
      if (merged === null) continue
      const { into, commit, at } = merged
      merges.set(conversationId, [...(merges.get(conversationId) ?? []), { agentId, into, commit, at }])
    }
    for (const [conversationId, found] of merges) {
      const key = found.map(({ agentId, commit }) => `${agentId} ${commit}`).join(' ')
      if (told.has(key)) continue
      told.add(key)
      const done = await tell(conversationId, found)
      // Another Troupe has the conversation, or it can't be written now: the next list tries again.
      if (!done.ok) told.delete(key)
    }
  }
}
