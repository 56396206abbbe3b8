/** The mark of an agent's state: the same in panels, tiles, tree, cards and the palette. */
import { type AgentState, needsUser } from '../../../shared/state/agent-state.ts'
import { isPausing, needsLogin } from './agent-text.ts'

type AgentMark =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'pausing'
  | 'paused'
  | 'needs-you'
  | 'completed'
  | 'failed'
  | 'stopped'

/** A pending request or login takes precedence. An agent that waits for its subagents counts as working. */
export function markOf(agent: AgentState): AgentMark {
  if (needsUser(agent) || needsLogin(agent)) return 'needs-you'
  if (isPausing(agent)) return 'pausing'
  if (agent.status === 'interrupted') return 'failed'
  if (agent.status === 'waiting' && agent.waitingFor === 'children') return 'running'
  // The agent reported at its limit, before its task was done. A main agent then waits for a message.
  const hasReported = agent.status === 'completed' || agent.waitingFor === 'message'
  if (hasReported && agent.reachedLimit !== null) return 'stopped'
  return agent.status
}
