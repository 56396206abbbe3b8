/** The texts for agents about worktrees: their own, and those of the agents they started. */
import { formatChanges, mergeCheckText } from '../../../shared/worktrees/format-work.ts'
import type { AgentWorktree, SavedWork } from '../../../shared/worktrees/worktree.ts'
import type { CarryOver, NewWorktree } from '../ports/worktrees.ts'

/** For the agent that works in the worktree. */
export function worktreeText({ branch, base, from }: AgentWorktree, cwd: string): string {
  return `You work in a git worktree of your own: the folder ${cwd}, on the branch ${branch}, made from ${from} at ${base.slice(0, 10)}. Nobody else writes there, and what you write changes nothing in ${from} until somebody merges your branch. ${from}/… in your task means this worktree. Stay on your branch. Unless you only read, you may commit with git add and git commit -m, which need no permission and run no hooks; what you leave uncommitted is committed for you when you end.`
}

/** A note that the worktree has the uncommitted changes of its checkout; null: the worktree does not. */
export function carriedText(
  { from, base }: Pick<AgentWorktree, 'from' | 'base'>,
  carryOver: CarryOver,
  whose: 'yours' | 'its',
): string | null {
  if (carryOver !== 'changes') return null
  const worktree = whose === 'yours' ? 'The worktree' : 'Its worktree'
  return `${worktree} has the files of ${from} as they were at the start. What is not committed there is not committed in it either: \`git status\` and \`git diff\` show it, on top of ${base.slice(0, 10)}. Later changes in ${from} are not in it.`
}

/** A note on the files that a new worktree lacks; null: none. */
export function leftOutText(
  { leftOut, moreLeftOut, location }: Pick<NewWorktree, 'leftOut' | 'moreLeftOut' | 'location'>,
  carryOver: CarryOver,
): string | null {
  if (leftOut.length === 0) return null
  const shown = leftOut.slice(0, 10)
  const more = leftOut.length - shown.length + moreLeftOut
  const others = more === 0 ? '' : ` and ${more} more`
  if (carryOver !== 'no')
    return `Not carried over from ${location.from} into the worktree: ${shown.join(', ')}${others}. Files that git ignores, nested repositories, changes inside submodules and files over 50 MB stay behind.`
  return `Not in the worktree, since it is not committed in ${location.from}: ${shown.join(', ')}${others}.`
}

/** For the parent: the worktree's content at the end of the run, and whether it merges. */
export function workReport({ path, branch, target }: AgentWorktree, work: SavedWork | null): string {
  if (work === null)
    return `What it did is in its worktree, ${path} (branch ${branch}), and is not committed. Paths in its report are in that folder.`
  if (work.unchanged) return 'It changed nothing, so its worktree was removed.'
  const into = target === null ? '' : ` into ${target}`
  const commits = `${work.commits} ${work.commits === 1 ? 'commit' : 'commits'}`
  const problems = work.problems.map((problem) => `\n${problem}`).join('')
  return `Its work is in its worktree, ${path}, on the branch ${branch}: ${commits}, ${formatChanges(work)}; ${mergeCheckText(work.check)}${into}. Paths in its report are in that folder; nothing of it is in yours until it is merged: with MergeWorktree if you have it, otherwise by the user, so name the branch in your report.${problems}`
}
