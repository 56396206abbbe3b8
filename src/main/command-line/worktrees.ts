/** `troupe worktrees list`, `merge`, `discard` and `gc`: reviews agents' worktrees without a window. */
import type { ReviewSnapshot } from '../../shared/review.ts'
import type { WorktreesArguments } from './parse-worktrees.ts'
import { publishedReview } from './published-json.ts'
import { EXIT } from './usage.ts'
import { refuse, type WorktreesContext } from './worktrees-context.ts'
import { discardWorktree, undoDiscard } from './worktrees-discard.ts'
import { removeMergedWorktrees } from './worktrees-gc.ts'
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
