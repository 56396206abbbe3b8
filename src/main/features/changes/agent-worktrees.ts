/** Changes in worktrees of agents: whether a worktree is still there, and what only Review can undo. */
import type { Git } from '../../platform/git/git-client.ts'
import { exists } from '../../platform/system/exists.ts'
import type { ChangeFacts, FactsAgent, FactsCall } from './change-facts.ts'

/**
 * Why a change can't be undone; null: it can. Merges are undone with git's history, which Review does.
 */
export async function obstacles(facts: ChangeFacts): Promise<(call: FactsCall) => string | null> {
  const gone = new Set<string>()
  for (const { id, worktree } of facts.agents.values())
    if (worktree !== null && !(await exists(worktree))) gone.add(id)
  return ({ agentId, tool, isElsewhere }) => {
    if (isElsewhere) return 'This agent works on another machine. Review takes back its work.'
    if (tool === 'MergeWorktree') return 'This merged a worktree. Review undoes a merge.'
    return gone.has(agentId)
      ? 'The worktree of this agent was merged or removed. Review undoes a merge.'
      : null
  }
}

/** `merged`: the last commit of the worktree is in the commit of the conversation's folder. */
export async function worktreeState(
  git: Git,
  { worktree, head }: FactsAgent,
  { folder }: ChangeFacts,
): Promise<'present' | 'merged' | 'gone'> {
  if (worktree === null || (await exists(worktree))) return 'present'
  if (head === null) return 'gone'
  const merged = await git.answers(folder, ['merge-base', '--is-ancestor', head, 'HEAD'], {
    accepts: [1, 128],
  })
  return merged.ok && merged.value.code === 0 ? 'merged' : 'gone'
}
