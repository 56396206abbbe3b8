/** A short text of an agent's activity: the same in the tree, the palette and the status bar. */
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { workedUntil } from '../../../shared/events/work-time.ts'
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import { clockText, isLimited } from '../../../shared/state/limit-wait.ts'
import { type BackingBadge, backingBadge, backingMeaning } from './backing-text.ts'

/** The text below an agent's name. `liveChildren`: the number of live subagents that the agent waits for, if known. */
export function agentText(agent: AgentState, liveChildren?: number): string {
  if (needsLogin(agent) && agent.requests.length + agent.forms.length === 0) return 'needs a login'
  if (needsUser(agent))
    return agent.requests.length === 0
      ? agent.forms[0]?.form.kind === 'plan'
        ? 'has a plan for you'
        : 'asks you'
      : agent.requests.length === 1
        ? 'needs your permission'
        : `${agent.requests.length} permission requests`
  if (isPausing(agent)) return pausingText(agent)
  if (isLimited(agent)) return `rate limited until ${clockText(agent.retry.at, Date.now())}`
  if (agent.retry !== null) return 'retrying'
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
      return agent.turn === 0 ? 'failed' : `failed · ${turns(agent.turn)}`
    case 'stopped':
      return agent.turn === 0 ? 'stopped before it started' : `stopped · ${turns(agent.turn)}`
    case 'interrupted':
      return agent.turn === 0 ? 'interrupted' : `interrupted · ${turns(agent.turn)}`
  }
}

/** Whether the program of the agent waits until the user logs in. */
export function needsLogin({ program }: Pick<AgentState, 'program'>): boolean {
  return program !== null && program.login !== null
}

/** Whether the user paused the agent and its current step is not finished yet. */
export function isPausing(agent: AgentState): boolean {
  return agent.pauseWanted && agent.status !== 'paused' && isLive(agent)
}

/** "pausing after this step": completes a sentence that begins with the agent's name. */
export function pausingText({ status, waitingFor }: AgentState): string {
  if (status === 'queued') return 'pausing before it starts'
  if (waitingFor === 'children') return 'pausing when its agents are done'
  return waitingFor === 'permission' ? 'pausing once you have answered' : 'pausing after this step'
}

/** The subject of a permission request on one line: the command, the file or the address; for a change its kind. */
export function askedText({ kind, action, text }: PermissionSubject): string {
  return kind === 'diff' ? action : (text.split('\n')[0] ?? '')
}

/** The badge beside an agent's name: its kind and the meaning of the kind. */
interface AgentBadge {
  readonly kind: 'background' | 'fork' | Exclude<BackingBadge, 'in-process'>
  readonly text: string
  readonly meaning: string
}

/** The badges of an agent; most agents have none. */
export function badgesOf(agent: AgentState): readonly AgentBadge[] {
  const { background, bubbles, forkOf } = agent
  const badges: AgentBadge[] = []
  const backing = backingBadge(agent)
  if (backing !== 'in-process')
    badges.push({ kind: backing, text: BADGE_TEXTS[backing] ?? backing, meaning: backingMeaning(agent) })
  if (background !== 'no')
    badges.push({
      kind: 'background',
      text: 'background',
      meaning: `${
        background === 'moved'
          ? 'Moved to the background: its parent continues without it'
          : 'In the background: its parent does not wait for it'
      }, and gets a notice at its end. ${
        bubbles || background === 'moved'
          ? 'It may ask you for permission.'
          : 'It can’t ask for permission: calls that would ask are denied.'
      }`,
    })
  if (forkOf !== null)
    badges.push({
      kind: 'fork',
      text: 'fork',
      meaning: 'A fork: it started with its parent’s whole conversation.',
    })
  return badges
}

/** Short forms of the kinds that are no words. */
const BADGE_TEXTS: Partial<Record<BackingBadge, string>> = { acp: 'ACP', 'acp-child': 'ACP' }

/** The display name: the main agent's definition is named after its role. */
export function agentName(agent: AgentState): string {
  return agent.parentId === null ? 'Main agent' : displayName(agent)
}

/** The name of a member of a team; otherwise that of the definition. */
export function displayName({
  teamId,
  name,
  definition,
}: Pick<AgentState, 'teamId' | 'name' | 'definition'>): string {
  return (teamId === null ? null : name) ?? definition.name
}

/** The working time of an agent in all its runs, in ms. Pauses and waiting in the queue do not count. */
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
    case 'answer':
      return 'asks you'
    case 'limit':
      return 'waiting for a usage limit'
    case 'message':
    case null:
      return agent.reachedLimit === null ? 'ready' : `stopped at its ${LIMIT_NAMES[agent.reachedLimit]} limit`
  }
}

function turns(amount: number): string {
  return amount === 1 ? '1 turn' : `${amount} turns`
}
