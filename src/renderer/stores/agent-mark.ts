/** What an agent's state is as a mark: the same in panels, tiles, tree, cards and the palette. */
import { type AgentState, needsUser } from '../../shared/agent-state.ts'
import { isPausing } from './agent-text.ts'

export type AgentMark =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'pausing'
  | 'paused'
  | 'needs-you'
  | 'completed'
  | 'failed'
  | 'stopped'

/** Needing a person comes before everything else. One that waits for its agents is at work. */
export function markOf(agent: AgentState): AgentMark {
  if (needsUser(agent)) return 'needs-you'
  if (isPausing(agent)) return 'pausing'
  if (agent.status === 'interrupted') return 'failed'
  if (agent.status === 'waiting' && agent.waitingFor === 'children') return 'running'
  // It reported what it had; its task was not done.
  if (agent.status === 'completed' && agent.reachedLimit !== null) return 'stopped'
  return agent.status
}
