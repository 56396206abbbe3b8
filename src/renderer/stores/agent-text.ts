/** What an agent is doing, in a few words: the same in the tree, the palette and the status bar. */
import type { PermissionSubject } from '../../shared/agent-event.ts'
import { type AgentState, isLive, needsUser, workedUntil } from '../../shared/agent-state.ts'

/** The words below an agent's name. `liveChildren`: how many agents it waits for, where that is known. */
export function agentText(agent: AgentState, liveChildren?: number): string {
  if (needsUser(agent))
    return agent.requests.length === 1 ? 'needs your permission' : `asks ${agent.requests.length} things`
  if (isPausing(agent)) return pausingText(agent)
  if (agent.retry !== null) return `tries again · ${agent.retry.failure.message}`
  switch (agent.status) {
    case 'queued':
      return 'queued'
    case 'running':
      return agent.action?.running ? actionKeywords(agent) : agent.turn === 0 ? 'starting' : 'thinking'
    case 'waiting':
      return waitingText(agent, liveChildren)
    case 'paused':
      return 'paused'
    case 'completed':
      return agent.reachedLimit === null
        ? `reported · ${turns(agent.turns)}`
        : `stopped at ${agent.limitOf === 'conversation' ? "the conversation's" : agent.limitOf === 'parent' ? 'an' : 'its'} ${LIMIT_NAMES[agent.reachedLimit]} limit`
    case 'failed':
      return agent.failure?.message ?? 'failed'
    case 'stopped':
      return agent.turn === 0 ? 'stopped before it started' : `stopped · ${turns(agent.turn)}`
    case 'interrupted':
      return agent.turn === 0 ? 'interrupted' : `interrupted · ${turns(agent.turn)}`
  }
}

/** Whether it is asked to rest, and still finishes what it does. */
export function isPausing(agent: AgentState): boolean {
  return agent.pauseWanted && agent.status !== 'paused' && isLive(agent)
}

/** "pausing after this step": reads on from the agent's name. */
export function pausingText({ status, waitingFor }: AgentState): string {
  if (status === 'queued') return 'pausing before it starts'
  if (waitingFor === 'children') return 'pausing when its agents are done'
  return waitingFor === 'permission' ? 'pausing once you have answered' : 'pausing after this step'
}

/** What it asks for, on one line: the command, the file, the address. Of a change: what kind it is. */
export function askedText({ kind, action, text }: PermissionSubject): string {
  return kind === 'diff' ? action : (text.split('\n')[0] ?? '')
}

/** A word beside an agent's name that says what kind it is, and what that means. */
export interface AgentBadge {
  readonly kind: 'background' | 'fork'
  readonly meaning: string
}

/** What is special about how it works; most have none. */
export function badgesOf({ background, bubbles, forkOf }: AgentState): readonly AgentBadge[] {
  const badges: AgentBadge[] = []
  if (background !== 'no')
    badges.push({
      kind: 'background',
      meaning: `${
        background === 'moved'
          ? 'Moved to the background: the agent that started it went on without it'
          : 'In the background: the agent that started it does not wait for it'
      }, and is told when it has ended. ${
        bubbles || background === 'moved'
          ? 'It may ask you for permission.'
          : 'It can’t ask for permission: what would have to be asked is denied.'
      }`,
    })
  if (forkOf !== null)
    badges.push({
      kind: 'fork',
      meaning: 'A fork: it began with all that its parent knew of the conversation.',
    })
  return badges
}

/** The name people see: the main agent's definition is called after its role. */
export function agentName(agent: AgentState): string {
  return agent.parentId === null ? 'Main agent' : agent.definition.name
}

/** Ms that an agent has worked, all its runs together. The clock of one that rests or queues stands still. */
export function agentElapsed(agent: AgentState, now: number): number {
  return workedUntil(agent, isLive(agent) ? Math.max(now, agent.lastAt) : agent.lastAt)
}

const LIMIT_NAMES = { turns: 'turn', tokens: 'token', money: 'spending', time: 'time' } as const

function actionKeywords(agent: AgentState): string {
  return agent.action === null ? '' : `${agent.action.tool} ${agent.action.summary}`.trim()
}

function waitingText(agent: AgentState, liveChildren: number | undefined): string {
  switch (agent.waitingFor) {
    case 'children':
      if (liveChildren === undefined) return 'waiting for its agents'
      return liveChildren === 1 ? 'waiting for 1 agent' : `waiting for ${liveChildren} agents`
    case 'permission':
      return 'needs your permission'
    case 'message':
    case null:
      return agent.reachedLimit === null ? 'ready' : `stopped at its ${LIMIT_NAMES[agent.reachedLimit]} limit`
  }
}

function turns(amount: number): string {
  return amount === 1 ? '1 turn' : `${amount} turns`
}
