/** Names worktrees: by agent, or by task where several agents share a name. */
import type { ReviewWorktree } from '../../../shared/review.ts'

type Named = Pick<ReviewWorktree, 'id' | 'agentName' | 'task' | 'branch'>

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
