/** The last line of an agent's tile. */
import { type AgentState, needsUser } from '../../../shared/agent-state.ts'
import { isLimited } from '../../../shared/limit-wait.ts'
import { agentText } from '../../stores/agent-text.ts'

/** Whether the state of the agent is more important than its words. */
export function isStateFirst(agent: AgentState): boolean {
  return (
    needsUser(agent) ||
    agent.retry !== null ||
    agent.pauseWanted ||
    MATTERS.has(agent.status) ||
    agent.reachedLimit !== null
  )
}

/** The last text of the agent, or its state if the state is more important or the agent has no text. */
export function lastLine(agent: AgentState): string {
  if (isStateFirst(agent)) return stateText(agent)
  if (agent.lastLine !== '') return plainLine(agent.lastLine)
  return agent.action?.running === true ? 'running' : agentText(agent)
}

/** With the reason of a failure: a tile has no transcript that shows it. */
function stateText(agent: AgentState): string {
  if (needsUser(agent) || agent.pauseWanted) return agentText(agent)
  if (isLimited(agent)) return agentText(agent)
  if (agent.retry !== null) return `retrying · ${agent.retry.failure.message}`
  return agent.status === 'failed' && agent.failure !== null ? agent.failure.message : agentText(agent)
}

const MATTERS: ReadonlySet<AgentState['status']> = new Set([
  'queued',
  'paused',
  'failed',
  'stopped',
  'interrupted',
])

/** A line of markdown without its markup. */
export function plainLine(line: string): string {
  return line
    .replace(/^(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
