/** What an agent is doing, in a few words: the same in the tree, the palette and the status bar. */
import { type AgentState, isLive, needsUser } from '../../shared/agent-state.ts'

/** The words below an agent's name. `liveChildren`: how many agents it waits for, where that is known. */
export function agentWords(agent: AgentState, liveChildren?: number): string {
  if (needsUser(agent))
    return agent.prompts.length === 1 ? 'needs your permission' : `asks ${agent.prompts.length} things`
  if (agent.retry !== null) return `tries again · ${agent.retry.failure.message}`
  switch (agent.status) {
    case 'queued':
      return 'queued'
    case 'running':
      return agent.action?.running ? actionWords(agent) : agent.turn === 0 ? 'starting' : 'thinking'
    case 'waiting':
      return waitingWords(agent, liveChildren)
    case 'paused':
      return 'paused'
    case 'completed':
      return agent.reachedLimit === null
        ? `reported · ${turns(agent.turn)}`
        : `reported at its ${LIMIT_WORDS[agent.reachedLimit]} limit`
    case 'failed':
      return agent.failure?.message ?? 'failed'
    case 'stopped':
      return `stopped · ${turns(agent.turn)}`
    case 'interrupted':
      return 'interrupted when the program ended'
  }
}

/** The name people see: the main agent's definition is called after its role. */
export function agentName(agent: AgentState): string {
  return agent.parentId === null ? 'Main agent' : agent.definition.name
}

/** Ms that an agent has taken, or took. An idle main agent's clock stands still. */
export function agentElapsed(agent: AgentState, now: number): number {
  return (agent.endedAt ?? (isLive(agent) ? Math.max(now, agent.lastAt) : agent.lastAt)) - agent.spawnedAt
}

const LIMIT_WORDS = { turns: 'turn', tokens: 'token', money: 'spending', time: 'time' } as const

function actionWords(agent: AgentState): string {
  return agent.action === null ? '' : `${agent.action.tool} ${agent.action.summary}`.trim()
}

function waitingWords(agent: AgentState, liveChildren: number | undefined): string {
  switch (agent.waitingFor) {
    case 'children':
      if (liveChildren === undefined) return 'waiting for its agents'
      return liveChildren === 1 ? 'waiting for 1 agent' : `waiting for ${liveChildren} agents`
    case 'permission':
      return 'needs your permission'
    case 'message':
    case null:
      return 'ready'
  }
}

function turns(amount: number): string {
  return amount === 1 ? '1 turn' : `${amount} turns`
}
