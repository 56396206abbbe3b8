/** `troupe worktrees gc`: worktrees whose work is merged go; of each other one it is said why it stays. */
import type { ReviewWorktree } from '../../shared/review.ts'
import { changeWords } from '../../shared/work-words.ts'
import { oneLine } from './definition-block.ts'
import type { RemoveMergedWorktrees } from './parse-worktrees.ts'
import { EXIT } from './usage.ts'
import { refuse, type WorktreesSurroundings } from './worktrees-surroundings.ts'

interface Removal {
  readonly removed: readonly string[]
  readonly kept: readonly { readonly id: string; readonly because: string }[]
}

export async function removeMergedWorktrees(
  { json, dryRun }: RemoveMergedWorktrees,
  around: WorktreesSurroundings,
): Promise<number> {
  const { review, folder, output } = around
  const { worktrees, problem } = await review.list(folder, { thorough: false })
  if (problem !== null) return refuse(json, around, { type: 'problem', message: problem })
  const done = dryRun ? { ok: true as const, value: foreseen(worktrees) } : await review.removeMerged(folder)
  if (!done.ok) return refuse(json, around, done.failure)
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

/** What would be done, as far as the list tells. */
function foreseen(worktrees: readonly ReviewWorktree[]): Removal {
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
  if (state === 'working') return 'its agent works in it'
  if (state !== 'merged') return `not merged: ${changeWords(worktree)}`
  return uncommitted > 0 ? `${uncommitted} of its files have changes that are not committed` : null
}
