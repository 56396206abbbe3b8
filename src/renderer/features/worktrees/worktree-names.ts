/** Names worktrees: by agent, or by task where several agents share a name. */
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'

type Named = Pick<ReviewWorktree, 'id' | 'agentName' | 'task' | 'branch'>

interface WorktreeTitle {
  readonly title: string
  /** The agent's name, if the task is the title; otherwise the task. May be empty. */
  readonly more: string
}

/** The first line of a worktree's entry and the text below: the task comes first where agents share a name. */
export function worktreeTitle(worktrees: readonly Named[], own: Named): WorktreeTitle {
  const [task = ''] = own.task.split('\n')
  return worktreeName(worktrees, own.id) === own.agentName
    ? { title: own.agentName, more: task }
    : { title: task || own.branch, more: own.agentName }
}

/** The name of the worktree with this id; the id itself if no worktree has it. */
export function worktreeName(worktrees: readonly Named[], id: string): string {
  const own = worktrees.find((worktree) => worktree.id === id)
  if (own === undefined) return id
  const isOnly = (key: 'agentName' | 'task') =>
    worktrees.every((other) => other === own || other[key] !== own[key])
  if (isOnly('agentName')) return own.agentName
  const [task = ''] = own.task.split('\n')
  return task !== '' && isOnly('task') ? `“${task}”` : own.branch
}
