/** `troupe worktrees list`, `merge`, `discard` and `gc`: the review of agents' worktrees without a window. */
import type { ReviewSnapshot } from '../../shared/review.ts'
import type { WorktreesArguments } from './parse-worktrees.ts'
import { EXIT } from './usage.ts'
import { discardWorktree, undoDiscard } from './worktrees-discard.ts'
import { removeMergedWorktrees } from './worktrees-gc.ts'
import { worktreeLines } from './worktrees-list.ts'
import { mergeWorktree } from './worktrees-merge.ts'
import { refuse, type WorktreesSurroundings } from './worktrees-surroundings.ts'

/** @returns the exit code */
export async function worktrees(command: WorktreesArguments, around: WorktreesSurroundings): Promise<number> {
  const { review, folder, output } = around
  if (!around.trusted) return refuse(command.json, around, { type: 'not-trusted', message: UNTRUSTED })
  if (command.verb === 'worktrees-gc') return removeMergedWorktrees(command, around)
  const snapshot = await review.list(folder, { thorough: command.verb === 'worktrees-list' })
  if (snapshot.problem !== null)
    return refuse(command.json, around, { type: 'problem', message: snapshot.problem })
  switch (command.verb) {
    case 'worktrees-list':
      output.write(command.json ? `${JSON.stringify(snapshot)}\n` : listText(snapshot, around.now))
      return EXIT.done
    case 'worktrees-merge':
      return mergeWorktree(command, snapshot, around)
    case 'worktrees-discard':
      return discardWorktree(command, snapshot, around)
    case 'worktrees-undo-discard':
      return undoDiscard(command, snapshot, around)
  }
}

const listText = (snapshot: ReviewSnapshot, now: number): string =>
  worktreeLines(snapshot, now)
    .map((line) => `${line}\n`)
    .join('')

const UNTRUSTED =
  'This folder is not trusted, so nothing of its repository is looked into. Trust it in the window, or add --trust for this command.'
