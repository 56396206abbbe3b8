/**
 * Checks before a resume whether the agent's definition has changed. If so, the user decides: a changed definition is
 * never loaded silently.
 */
import { create } from 'zustand'
import type { View } from '../../shared/commands/views.ts'
import { type AgentState, isLive } from '../../shared/state/agent-state.ts'
import { command } from '../bridge.ts'
import { agentMention, useConversation } from './conversation-store.ts'
import { showFailure, showNotice } from './overlay-store.ts'
import { setViewFrom, useSession } from './session-store.ts'
import { revealAgent } from './stage-store.ts'

export type ResumeChoice = 'as-it-was' | 'renew' | 'cancel'

interface ResumeQuestion {
  /** The changed parts of the definition: "its prompt", "its tools". */
  readonly what: readonly string[]
  /** The new definition is being loaded. */
  readonly busy: boolean
  readonly answer: (choice: ResumeChoice) => void
}

interface ResumeState {
  /** By the id of the agent to resume. */
  readonly questions: ReadonlyMap<string, ResumeQuestion>
  /** Agents that resumed with their old definition because the definition no longer exists. */
  readonly gone: ReadonlySet<string>
  /** Agents with a running check or an open question. */
  readonly pending: ReadonlySet<string>
}

export const useResume = create<ResumeState>()(() => ({
  questions: new Map(),
  gone: new Set(),
  pending: new Set(),
}))

/** Whether the agent may resume now: true if there is nothing to ask, false if the user cancels. */
export async function mayResume(agent: AgentState | undefined): Promise<boolean> {
  if (agent === undefined || isLive(agent) || agent.parentId === null || agent.forkOf !== null) return true
  const { id: agentId, conversationId } = agent
  const { view } = useSession.getState()
  if (useResume.getState().pending.has(agentId)) {
    // The question is already open.
    showAgent(agentId, view)
    return false
  }
  useResume.setState(({ pending }) => ({ pending: new Set([...pending, agentId]) }))
  try {
    const answer = await command('agent.definitionChange', { agentId, conversationId })
    if (!answer.ok) {
      showNotice({
        level: 'info',
        text: `${agentMention(agent, useConversation.getState().agents)} resumes with its old definition. Could not check for changes: ${answer.failure.message}`,
      })
      return true
    }
    if (answer.value.kind === 'gone') keepGone(agentId)
    return answer.value.kind === 'changed' ? await ask(agent, answer.value.what, view) : true
  } finally {
    useResume.setState(({ pending }) => ({ pending: without(pending, agentId) }))
  }
}

/** Dismisses the line about a missing definition. */
export function dismissGone(agentId: string): void {
  useResume.setState(({ gone }) => ({ gone: without(gone, agentId) }))
}

function keepGone(agentId: string): void {
  useResume.setState(({ gone }) => ({ gone: new Set([...gone, agentId]) }))
}

/**
 * Asks the user; resolves to whether the agent may resume. An agent that resumes by other means closes the question.
 */
function ask(
  { id: agentId, conversationId }: AgentState,
  what: readonly string[],
  from: View,
): Promise<boolean> {
  return new Promise((resolve) => {
    const put = (question: ResumeQuestion | null) =>
      useResume.setState(({ questions }) => {
        const next = new Map(questions)
        if (question === null) next.delete(agentId)
        else next.set(agentId, question)
        return { questions: next }
      })
    const done = (goesOn: boolean) => {
      unsubscribe()
      put(null)
      resolve(goesOn)
    }
    const answer = async (choice: ResumeChoice) => {
      if (useResume.getState().questions.get(agentId)?.busy !== false) return
      if (choice !== 'renew') return done(choice === 'as-it-was')
      put({ what, busy: true, answer })
      const renewed = await command('agent.renew', { agentId, conversationId })
      if (renewed.ok) return done(true)
      showFailure(renewed.failure)
      put({ what, busy: false, answer })
    }
    const unsubscribe = useConversation.subscribe(({ agents }) => {
      const now = agents.get(agentId)
      if (now !== undefined && isLive(now)) done(true)
    })
    put({ what, busy: false, answer: (choice) => void answer(choice) })
    showAgent(agentId, from)
  })
}

/** Shows the agent's panel, which contains the question, unless the user has left the view `from`. */
function showAgent(agentId: string, from: View): void {
  setViewFrom(from, 'stage')
  revealAgent(agentId)
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((other) => other !== id))
}
