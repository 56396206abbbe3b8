/** `troupe worktrees gc`: removes merged worktrees, and gives the reason for each one kept. */

import { formatChanges } from '../../shared/format-work.ts'
import type { RemovedWorktrees, ReviewWorktree } from '../../shared/review.ts'
import { oneLine } from './definition-block.ts'
import type { RemoveMergedWorktrees } from './parse-worktrees.ts'
import { EXIT } from './usage.ts'
import { refuse, type WorktreesContext } from './worktrees-context.ts'

export async function removeMergedWorktrees(
  { json, dryRun }: RemoveMergedWorktrees,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output } = context
  const { worktrees, problem } = await review.list(folder, { thorough: false })
  if (problem !== null) return refuse({ ...context, json }, { type: 'problem', message: problem })
  const done = dryRun ? { ok: true as const, value: preview(worktrees) } : await review.removeMerged(folder)
  if (!done.ok) return refuse({ ...context, json }, done.failure)
  const { removed, kept } = done.value
  if (json) {
    output.write(`${JSON.stringify({ dryRun, removed, kept })}\n`)
    return EXIT.done
  }
  if (removed.length === 0)
    output.write(`Nothing ${dryRun ? 'would be' : 'was'} removed: no worktree here is merged.\n`)
  for (const id of removed)
    output.write(oneLine(`${dryRun ? 'would be removed' : 'removed'}: ${id}`).concat('\n'))
  for (const { id, because } of kept) output.write(oneLine(`kept: ${id} (${because})`).concat('\n'))
  return EXIT.done
}

/** The result of a dry run, from the list. */
function preview(worktrees: readonly ReviewWorktree[]): RemovedWorktrees {
  const goes = (worktree: ReviewWorktree) => whyKept(worktree) === null
  return {
    removed: worktrees.filter(goes).map(({ id }) => id),
    kept: worktrees.flatMap((worktree) => {
      const because = whyKept(worktree)
      return because === null ? [] : [{ id: worktree.id, because }]
    }),
  }
}

function whyKept(worktree: ReviewWorktree): string | null {
  const { state, problem, uncommitted } = worktree
  if (problem !== null) return problem
  if (state === 'working') return 'its agent is running'
  if (state !== 'merged') return `not merged: ${formatChanges(worktree)}`
  return uncommitted > 0
    ? `${uncommitted} ${uncommitted === 1 ? 'file has' : 'files have'} uncommitted changes`
    : null
}
