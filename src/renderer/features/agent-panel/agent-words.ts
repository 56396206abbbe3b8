/** What an agent's state is in words, and as a mark. */
import { type AgentState, needsUser } from '../../../shared/agent-state.ts'
import type { DotStatus } from '../../ui/dot.tsx'

/** For the mark: needing a person comes before everything else. */
export function dotStatus(agent: AgentState): DotStatus {
  if (needsUser(agent)) return 'needs-you'
  return agent.status === 'interrupted' ? 'failed' : agent.status
}

/** "working", "needs your permission", "waiting for its agents". */
export function statusWords(agent: AgentState): string {
  if (needsUser(agent)) return 'needs your permission'
  if (agent.retry !== null) return 'waiting to try again'
  switch (agent.status) {
    case 'running':
      return 'working'
    case 'waiting':
      return agent.waitingFor === 'children'
        ? 'waiting for its agents'
        : agent.waitingFor === 'message'
          ? 'waiting for a message'
          : 'waiting'
    case 'completed':
      return 'done'
    case 'queued':
    case 'paused':
    case 'failed':
    case 'stopped':
    case 'interrupted':
      return agent.status
  }
}

/** What a tile says at last: the newest words, or what it is doing where it has said nothing. */
export function lastWords(agent: AgentState): string {
  if (needsUser(agent)) return agent.prompts[0]?.subject.text.split('\n')[0] ?? statusWords(agent)
  if (agent.status === 'failed') return agent.failure?.message ?? 'failed'
  if (agent.lastLine !== '' && agent.status !== 'queued') return plainLine(agent.lastLine)
  return agent.action?.running === true ? 'running' : statusWords(agent)
}

/** A line of markdown without its marks. */
function plainLine(line: string): string {
  return line
    .replace(/^(?:#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
}
