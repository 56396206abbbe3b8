/** The points at which interceptors learn of an agent's worktree. */
import { type InterceptDeps, intercept } from '../loop/intercept.ts'
import type { LiveAgent } from './live-agent.ts'

/** Only at the first start of the agent that owns its worktree. */
export async function worktreeCreated(
  loop: InterceptDeps,
  agent: LiveAgent,
  signal: AbortSignal,
): Promise<void> {
  const { worktree } = agent.state()
  if (worktree === null || !agent.isWorktreeNew) return
  agent.isWorktreeNew = false
  const { context } = await intercept({ agent, deps: loop, signal }, 'worktree-create', worktree)
  if (context !== null) agent.transcript.tell(context)
}

/** Each interceptor's own time limit bounds the wait. */
export async function worktreeRemoved(loop: InterceptDeps, agent: LiveAgent): Promise<void> {
  const { worktree } = agent.state()
  const { signal } = new AbortController()
  if (worktree !== null) await intercept({ agent, deps: loop, signal }, 'worktree-remove', worktree)
}
