/** What agents are told of worktrees: of their own, and of those of the agents they started. */
import { changeWords, checkWords } from '../../../shared/work-words.ts'
import type { AgentWorktree, SavedWork } from '../../../shared/worktree.ts'
import type { NewWorktree } from '../worktrees.ts'

/** For the agent that works in it. */
export function placeWords({ branch, base, from }: AgentWorktree, cwd: string): string {
  return `You work in a git worktree of your own: the folder ${cwd}, on the branch ${branch}, made from ${from} at ${base.slice(0, 10)}. Nobody else writes there, and what you write changes nothing in ${from} until somebody merges your branch. Paths in ${from} that you were given mean the same paths here. Stay on your branch. You may commit; what you leave uncommitted is committed for you when you end.`
}

/** What is not in a new worktree; null: all is. */
export function leftOutWords({
  leftOut,
  moreLeftOut,
  place,
}: Pick<NewWorktree, 'leftOut' | 'moreLeftOut' | 'place'>): string | null {
  if (leftOut.length === 0) return null
  const shown = leftOut.slice(0, 10)
  const more = leftOut.length - shown.length + moreLeftOut
  const others = more === 0 ? '' : ` and ${more} more`
  return `Not in the worktree, since it is not committed in ${place.from}: ${shown.join(', ')}${others}.`
}

/** For whoever started it: what is in the worktree at its end, and how it comes from there. */
export function workReport({ path, branch, target }: AgentWorktree, work: SavedWork | null): string {
  if (work === null)
    return `What it did is in its worktree, ${path} (branch ${branch}), and is not committed. Paths in its report are in that folder.`
  if (work.unchanged) return 'It changed nothing, so its worktree is gone.'
  const into = target === null ? '' : ` into ${target}`
  const commits = `${work.commits} ${work.commits === 1 ? 'commit' : 'commits'}`
  const problems = work.problems.map((problem) => `\n${problem}`).join('')
  return `Its work is in its worktree, ${path}, on the branch ${branch}: ${commits}, ${changeWords(work)}; ${checkWords(work.check)}${into}. Paths in its report are in that folder; nothing of it is in yours until it is merged.${problems}`
}
