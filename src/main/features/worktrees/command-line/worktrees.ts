/** `troupe worktrees list`, `merge`, `discard` and `gc`: reviews agents' worktrees without a window. */

import { formatChanges } from '../../../../shared/worktrees/format-work.ts'
import type { RemovedWorktrees, ReviewSnapshot, ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import { publishedReview } from '../../../platform/command-line/published-json.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import type { RemoveMergedWorktrees, WorktreesArguments } from './parse-worktrees.ts'
import { refuse, type WorktreesContext } from './worktrees-context.ts'
import { discardWorktree, undoDiscard } from './worktrees-discard.ts'
import { worktreeLines } from './worktrees-list.ts'
import { mergeWorktree } from './worktrees-merge.ts'

/** @returns the exit code */
export async function worktrees(command: WorktreesArguments, context: WorktreesContext): Promise<number> {
  const { review, folder, output } = context
  if (!context.trusted)
    return refuse({ ...context, json: command.json }, { type: 'not-trusted', message: UNTRUSTED })
  if (command.verb === 'worktrees-gc') return removeMergedWorktrees(command, context)
  const snapshot = await review.list(folder, { thorough: command.verb === 'worktrees-list' })
  if (snapshot.problem !== null)
    return refuse({ ...context, json: command.json }, { type: 'problem', message: snapshot.problem })
  switch (command.verb) {
    case 'worktrees-list':
      output.write(
        command.json ? `${JSON.stringify(publishedReview(snapshot))}\n` : listText(snapshot, context.now),
      )
      return EXIT.done
    case 'worktrees-merge':
      return mergeWorktree(command, snapshot, context)
    case 'worktrees-discard':
      return discardWorktree(command, snapshot, context)
    case 'worktrees-undo-discard':
      return undoDiscard(command, snapshot, context)
  }
}

const listText = (snapshot: ReviewSnapshot, now: number): string =>
  worktreeLines(snapshot, now)
    .map((line) => `${line}\n`)
    .join('')

const UNTRUSTED =
  'This folder is not trusted, so its repository is not read. Trust it in the window, or add --trust for this command.'

/** `troupe worktrees gc`: removes merged worktrees, and gives the reason for each one kept. */
async function removeMergedWorktrees(
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
