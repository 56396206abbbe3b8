/** What an agent's state is as a mark, and the last line of its tile. */
import { type AgentState, needsUser } from '../../../shared/agent-state.ts'
import { agentWords } from '../../stores/agent-words.ts'
import type { DotStatus } from '../../ui/dot.tsx'

/** Needing a person comes before everything else. */
export function markOf(agent: AgentState): DotStatus {
  if (needsUser(agent)) return 'needs-you'
  return agent.status === 'interrupted' ? 'failed' : agent.status
}

/** The newest words, or what it is doing where it has said nothing. */
export function lastWords(agent: AgentState): string {
  if (needsUser(agent) || agent.status === 'failed' || agent.status === 'queued' || agent.retry !== null)
    return agentWords(agent)
  if (agent.lastLine !== '') return plainLine(agent.lastLine)
  return agent.action?.running === true ? 'running' : agentWords(agent)
}

/** A line of markdown without its marks. */
function plainLine(line: string): string {
  return line
    .replace(/^(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
