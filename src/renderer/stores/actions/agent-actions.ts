/**
 * The user's actions on agents: pause, continue, resume, move to the background, stop, message. A failure is shown as
 * a notice.
 */
import { create } from 'zustand'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../conversation-store.ts'
import { showFailure, showNotice } from '../notice-store.ts'
import { goToReview } from '../review-store.ts'
import { continueStopped } from './conversation-actions.ts'
import { type AgentAction, type AgentCommand, canResume, offeredNow } from './offered-actions.ts'
import { mayResume } from './resume-question.ts'

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
  const isStopped = conversationId !== null && !readOnly && stoppedTogether(agents.values()).length > 0
  await Promise.all([
    forAll('continue'),
    ...(isStopped ? [continueStopped(conversationId, whenLimitEnds)] : []),
  ])
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
