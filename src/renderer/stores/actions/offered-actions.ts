/** The actions that an agent's state allows, and their labels: the same in panels, tiles, tree and palette. */
import { useShallow } from 'zustand/react/shallow'
import { AGENT_KEYS } from '../../../shared/commands/key-map.ts'
import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import { useConversation } from '../conversation-store.ts'
import { agentName, isPausing } from '../text/agent-text.ts'
import { endsAtOnce, type LimitsAround } from '../text/limit-reached.ts'
import { stopProblem } from '../text/program-limits.ts'
import { conversationLimitsNow, useConversationLimits } from './limits-store.ts'

export type AgentAction =
  | 'write'
  | 'retry'
  | 'pause'
  | 'continue'
  | 'resume'
  | 'background'
  | 'review'
  | 'stop'

/** The actions that change the agent's run. Messages and reviews do not. */
export type AgentCommand = Exclude<AgentAction, 'write' | 'review'>

interface Around extends LimitsAround {
  /** Another program runs the conversation. */
  readonly readOnly: boolean
}

interface ActionLabel {
  /** The text in a menu or tooltip. */
  readonly label: string
  /** The shortcut while the agent's panel, tile or row has the focus. Letters alone are text for the agent. */
  readonly keys: string
}

export const ACTION_LABELS: Readonly<Record<AgentAction, ActionLabel>> = {
  write: { label: 'Message', keys: AGENT_KEYS.write },
  retry: { label: 'Try now', keys: AGENT_KEYS.retry },
  pause: { label: 'Pause', keys: AGENT_KEYS.pause },
  continue: { label: 'Continue', keys: AGENT_KEYS.continue },
  resume: { label: 'Resume', keys: AGENT_KEYS.resume },
  background: { label: 'Move to background', keys: AGENT_KEYS.background },
  review: { label: 'Review changes', keys: AGENT_KEYS.review },
  stop: { label: 'Stop', keys: AGENT_KEYS.stop },
}

/** The possible actions, in display order. */
export function offeredActions(agent: AgentState, around: Around): readonly AgentAction[] {
  if (around.readOnly) return []
  // Only the program that started it can talk to it and continue it.
  if (agent.child !== null) return isLive(agent) && agent.child.canStop ? ['stop'] : []
  if (isLive(agent))
    return [
      'write',
      ...(agent.retry === null ? [] : (['retry'] as const)),
      agent.pauseWanted || agent.status === 'paused' ? 'continue' : 'pause',
      ...(isAwaited(agent, around.agents) ? (['background'] as const) : []),
      ...reviewOf(agent),
      'stop',
    ]
  return [
    'write',
    // A main agent at its turn limit.
    ...(agent.waitingFor === 'message' && agent.reachedLimit !== null ? (['continue'] as const) : []),
    ...(canResume(agent) && !endsAtOnce(agent, around) ? (['resume'] as const) : []),
    ...reviewOf(agent),
  ]
}

/** Only changes in the agent's own worktree can be reviewed. */
function reviewOf({ worktree, work }: AgentState): readonly AgentAction[] {
  return worktree?.own === true && work?.unchanged !== true ? ['review'] : []
}

/** The actions that are possible now for an agent of the shown conversation. */
export function offeredNow(agent: AgentState): readonly AgentAction[] {
  const { agents, readOnly } = useConversation.getState()
  return offeredActions(agent, { agents, readOnly, conversationLimits: conversationLimitsNow() })
}

/** The offered action whose shortcut was pressed. */
export function pressedAction(
  offered: readonly AgentAction[],
  isPressed: (keys: string) => boolean,
): AgentAction | undefined {
  return offered.find((action) => isPressed(ACTION_LABELS[action].keys))
}

/** Whether the agent ended before its task was done. */
export function canResume({ status, reachedLimit }: AgentState): boolean {
  if (status === 'completed') return reachedLimit !== null
  return status === 'failed' || status === 'stopped' || status === 'interrupted'
}

/** Whether a live parent waits for the agent's report. */
function isAwaited(agent: AgentState, agents: ReadonlyMap<string, AgentState>): boolean {
  if (agent.parentId === null || agent.background !== 'no') return false
  const parent = agents.get(agent.parentId)
  return parent !== undefined && isLive(parent)
}

/** "Pause Explore: look at routes". */
export function actionTitle(action: AgentAction, agent: AgentState): string {
  const name = agentName(agent)
  const who = agent.task === '' ? name : `${name}: ${agent.task}`
  switch (action) {
    case 'write':
      return `Message ${who}`
    case 'retry':
      return `Try now: ${who}`
    case 'pause':
      return `Pause ${who}`
    case 'continue':
      return `Continue ${who}`
    case 'resume':
      return `Resume ${who}`
    case 'background':
      return `Move ${name} to background${agent.task === '' ? '' : `: ${agent.task}`}`
    case 'review':
      return `Review changes of ${who}`
    case 'stop':
      return `Stop ${who}`
  }
}

const NOTHING: readonly AgentAction[] = []

/** The actions that are possible now; the same array until they change. */
export function useOfferedActions(agentId: string): readonly AgentAction[] {
  const conversationLimits = useConversationLimits()
  return useConversation(
    useShallow(({ agents, readOnly }) => {
      const agent = agents.get(agentId)
      return agent === undefined ? NOTHING : offeredActions(agent, { readOnly, agents, conversationLimits })
    }),
  )
}

/** Why a working agent can't be stopped by itself; null: it can, or it does not work. */
function refusedStop(
  agent: AgentState,
  { agents, readOnly }: Pick<Around, 'agents' | 'readOnly'>,
): string | null {
  if (readOnly || agent.child === null || agent.child.canStop || !isLive(agent)) return null
  return stopProblem(agent, agents.get(agent.parentId ?? ''))
}

export function useRefusedStop(agentId: string): string | null {
  return useConversation(({ agents, readOnly }) => {
    const agent = agents.get(agentId)
    return agent === undefined ? null : refusedStop(agent, { agents, readOnly })
  })
}

interface LiveCounts {
  /** Live agents that neither wait for the user nor are queued, paused or pausing. */
  readonly working: number
  /** Agents with a permission request, neither paused nor pausing. */
  readonly asking: number
  /** Agents that wait for a slot, neither paused nor pausing. */
  readonly queued: number
  /** Paused and pausing agents. */
  readonly paused: number
  /** The pausing agents among `paused`. */
  readonly pausing: number
}

export function countLive(agents: ReadonlyMap<string, AgentState>): LiveCounts {
  const live = [...agents.values()].filter(isLive)
  const paused = live.filter((agent) => agent.pauseWanted).length
  const active = live.filter((agent) => !agent.pauseWanted)
  const asking = active.filter(needsUser).length
  const queued = active.filter((agent) => agent.status === 'queued' && !needsUser(agent)).length
  const working = active.length - asking - queued
  return { working, asking, queued, paused, pausing: live.filter(isPausing).length }
}

/** The counts of the shown conversation. */
export function useLiveCounts(): LiveCounts {
  return useConversation(useShallow(({ agents }) => countLive(agents)))
}
