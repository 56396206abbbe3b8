/**
 * The user's actions on agents: pause, continue, resume, move to the background, stop, message. A failure is shown as
 * a notice.
 */
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { KeyActionId } from '../../shared/commands/key-map.ts'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import { type AgentState, isLive, needsUser } from '../../shared/state/agent-state.ts'
import { stoppedTogether } from '../../shared/state/stopped-together.ts'
import { command } from '../bridge.ts'
import { isPausing } from '../ui/text/agent-text.ts'
import { stopProblem } from '../ui/text/external-agent-text.ts'
import { endsAtOnce, type LimitsAround } from '../ui/text/limit-text.ts'
import { continueStopped, titlesOf } from './conversation-actions.ts'
import { agentMention, agentTitleNow, useConversation } from './conversation-store.ts'
import { keysNow } from './keys-store.ts'
import { conversationLimitsNow, useConversationLimits } from './limits-store.ts'
import { showFailure, showNotice } from './overlay-store.ts'
import { mayResume } from './resume-question.ts'
import { goToReview } from './review-store.ts'

interface ActionState {
  /** The pending command of each agent. */
  readonly busy: ReadonlyMap<string, AgentCommand>
}

export const useAgentActions = create<ActionState>()(() => ({ busy: new Map() }))

/** The pending command of an agent; null: none. */
export function useBusyAction(agentId: string): AgentCommand | null {
  return useAgentActions((state) => state.busy.get(agentId) ?? null)
}

/**
 * Sends a command. While a command is pending, only a stop is sent, so repeated requests send one command. A command
 * that the agent's state does not allow is ignored.
 */
export async function actOn(agentId: string, action: AgentCommand): Promise<void> {
  const agent = offering(agentId, action)
  const current = useAgentActions.getState().busy.get(agentId)
  if (agent === null || current === action || (current !== undefined && action !== 'stop')) return
  setBusy(agentId, action)
  try {
    // The user's answer may take long, so the agent's state is checked again.
    if (action === 'resume' && !((await mayResume(agent)) && offering(agentId, action))) return
    const answer = await run(action, { agentId, conversationId: agent.conversationId })
    if (!answer.ok && ALREADY_SO[action] !== answer.failure.type) showFailure(answer.failure)
  } finally {
    if (useAgentActions.getState().busy.get(agentId) === action) setBusy(agentId, null)
  }
}

/** Failures of a repeated command that the window does not know to be done yet. No notice is shown for them. */
const ALREADY_SO: { readonly [A in AgentCommand]?: string } = {
  retry: 'ended',
  background: 'not-possible',
  stop: 'ended',
}

/** Performs an action. `actOn` sends the ones that change the agent. */
export function doWith(agentId: string, action: Exclude<AgentAction, 'write'>): void {
  if (action === 'review') goToReview(useConversation.getState().agents.get(agentId)?.worktree?.id ?? null)
  else void actOn(agentId, action)
}

/** Pauses all working agents of the shown conversation, each after its current step. */
export async function pauseAll(): Promise<void> {
  await forAll('pause')
}

/** Continues all paused agents, and resumes those that were stopped at once; with `whenLimitEnds` they wait for the end of a usage limit. */
export async function continueAll({ whenLimitEnds = false } = {}): Promise<void> {
  const { agents, conversationId, readOnly } = useConversation.getState()
  const stopped = readOnly ? [] : stoppedTogether(agents.values())
  const meant = heldAgents()
  await Promise.all([
    forAll('continue'),
    ...(conversationId !== null && stopped.length > 0
      ? [continueStopped(conversationId, whenLimitEnds)]
      : []),
  ])
  if (meant.length > 0) showNotice({ level: 'info', text: `Continued: ${titlesOf(meant)}.` })
}

/** The agents that "Continue all" continues now: the paused ones, and those of the last stop. */
export function heldAgents(): readonly AgentState[] {
  const { agents, readOnly } = useConversation.getState()
  if (readOnly) return []
  const stopped = new Set(stoppedTogether(agents.values()))
  return [...agents.values()].filter((agent) => stopped.has(agent) || offeredNow(agent).includes('continue'))
}

/** An agent that has ended meanwhile is no failure. Several failures share one notice. */
async function forAll(action: 'pause' | 'continue'): Promise<void> {
  const { agents } = useConversation.getState()
  const meant = [...agents.values()].filter((agent) => offeredNow(agent).includes(action))
  const answers = await Promise.all(
    meant.map(({ id, conversationId }) => run(action, { agentId: id, conversationId })),
  )
  const messages = answers.flatMap((answer) =>
    answer.ok || answer.failure.type === 'ended' ? [] : [answer.failure.message],
  )
  const [first] = messages
  if (first === undefined) return
  showNotice({
    level: 'error',
    text: messages.length === 1 ? first : `${messages.length} agents could not be reached. ${first}`,
  })
}

function run(
  action: AgentCommand,
  agent: { readonly agentId: string; readonly conversationId: string },
): Promise<Answer<void>> {
  switch (action) {
    case 'retry':
      return command('agent.retry', agent)
    case 'pause':
      return command('agent.pause', agent)
    case 'continue':
    case 'resume':
      return command('agent.continue', agent)
    case 'background':
      return command('agent.toBackground', agent)
    case 'stop':
      return command('agent.stop', agent)
  }
}

/** The agent if its state allows the command now, otherwise null. */
function offering(agentId: string, action: AgentCommand): AgentState | null {
  const { agents, readOnly } = useConversation.getState()
  const agent = agents.get(agentId)
  // The window may not know a raised limit yet; the main process does.
  if (action === 'resume' && agent !== undefined && !readOnly && canResume(agent)) return agent
  return agent !== undefined && offeredNow(agent).includes(action) ? agent : null
}

function setBusy(agentId: string, action: AgentCommand | null): void {
  useAgentActions.setState(({ busy }) => {
    const next = new Map(busy)
    if (action === null) next.delete(agentId)
    else next.set(agentId, action)
    return { busy: next }
  })
}

/** The actions that an agent's state allows, and their labels: the same in panels, tiles, tree and palette. */
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
  /** Whose keys work while the agent's panel, tile or row has the focus. Letters alone are text for the agent. */
  readonly keyAction: KeyActionId
}

export const ACTION_LABELS: Readonly<Record<AgentAction, ActionLabel>> = {
  write: { label: 'Message', keyAction: 'agent.write' },
  retry: { label: 'Try now', keyAction: 'agent.retry' },
  pause: { label: 'Pause', keyAction: 'agent.pause' },
  continue: { label: 'Continue', keyAction: 'agent.pause' },
  resume: { label: 'Resume', keyAction: 'agent.pause' },
  background: { label: 'Move to background', keyAction: 'agent.background' },
  review: { label: 'Review changes', keyAction: 'agent.review' },
  stop: { label: 'Stop', keyAction: 'agent.stop' },
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
  return offered.find((action) => isPressed(keysNow(ACTION_LABELS[action].keyAction) ?? ''))
}

/** Whether the agent ended before its task was done. */
function canResume({ status, reachedLimit }: AgentState): boolean {
  if (status === 'completed') return reachedLimit !== null
  return status === 'failed' || status === 'stopped' || status === 'interrupted'
}

/** Whether a live parent waits for the agent's report. */
function isAwaited(agent: AgentState, agents: ReadonlyMap<string, AgentState>): boolean {
  if (agent.parentId === null || agent.background !== 'no') return false
  const parent = agents.get(agent.parentId)
  return parent !== undefined && isLive(parent)
}

/** "Pause: Look at routes". */
export function actionTitle(action: AgentAction, agent: AgentState): string {
  return `${ACTION_LABELS[action].label}: ${agentTitleNow(agent)}`
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
  const parent = agents.get(agent.parentId ?? '')
  return stopProblem(agentMention(agent, agents), parent === undefined ? null : agentMention(parent, agents))
}

export function useRefusedStop(agentId: string): string | null {
  return useConversation(({ agents, readOnly }) => {
    const agent = agents.get(agentId)
    return agent === undefined ? null : refusedStop(agent, { agents, readOnly })
  })
}

export interface LiveCounts {
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

/** How many subagents hold one of the slots that the setting `maxParallelAgents` limits. */
export function workingSubagents(agents: ReadonlyMap<string, AgentState>): number {
  return countLive(new Map([...agents].filter(([, { parentId }]) => parentId !== null))).working
}

/** The counts of the shown conversation. */
export function useLiveCounts(): LiveCounts {
  return useConversation(useShallow(({ agents }) => countLive(agents)))
}

// Saving an agent's work as a case of the test bench, which is possible in any of its states.

interface WorkedAgent {
  readonly conversationId: string
  readonly agentId: string
}

export const SAVE_AS_CASE = 'Save as a case…'

/** Null: the dialog is closed. */
export const useCaseToSave = create<{ readonly agent: WorkedAgent | null }>()(() => ({ agent: null }))

/** Opens the dialog with the task, the commit and the result of an agent. Without a conversation: the shown one's. */
export function saveAsCase(
  agentId: string,
  conversationId: string | null = useConversation.getState().conversationId,
): void {
  if (conversationId !== null) useCaseToSave.setState({ agent: { conversationId, agentId } })
}

export const closeCaseToSave = (): void => useCaseToSave.setState({ agent: null })
