/** The last line of an agent's tile. */
import { type AgentState, needsUser } from '../../../shared/agent-state.ts'
import { agentWords } from '../../stores/agent-words.ts'

/** The newest words, or what it is doing where it has said nothing or something else matters more. */
export function lastWords(agent: AgentState): string {
  if (needsUser(agent) || agent.retry !== null || agent.pauseWanted || MATTERS.has(agent.status))
    return agentWords(agent)
  if (agent.reachedLimit !== null) return agentWords(agent)
  if (agent.lastLine !== '') return plainLine(agent.lastLine)
  return agent.action?.running === true ? 'running' : agentWords(agent)
}

const MATTERS: ReadonlySet<AgentState['status']> = new Set([
  'queued',
  'paused',
  'failed',
  'stopped',
  'interrupted',
])

/** A line of markdown without its marks. */
function plainLine(line: string): string {
  return line
    .replace(/^(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
