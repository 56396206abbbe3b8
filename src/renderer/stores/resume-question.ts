/**
 * Before an agent that has ended goes on it is looked whether its definition has changed since. Where it has,
 * the person is asked: a changed definition is never taken silently.
 */
import { create } from 'zustand'
import { type AgentState, isLive } from '../../shared/agent-state.ts'
import { command } from '../bridge.ts'
import { agentName } from './agent-text.ts'
import { useConversation } from './conversation-store.ts'
import { showFailure, showNotice } from './notice-store.ts'
import { setView } from './session-store.ts'
import { revealAgent } from './stage-store.ts'

export type ResumeChoice = 'as-it-was' | 'renew' | 'cancel'

export interface ResumeQuestion {
  /** What is other about the definition: "its prompt", "its tools". */
  readonly what: readonly string[]
  /** The definition is being taken. */
  readonly busy: boolean
  readonly answer: (choice: ResumeChoice) => void
}

interface ResumeState {
  /** By the agent that is to go on. */
  readonly questions: ReadonlyMap<string, ResumeQuestion>
  /** Agents that go on as they were because there is no such definition any more. */
  readonly gone: ReadonlySet<string>
  /** Agents that are looked at, or asked about, at this moment. */
  readonly pending: ReadonlySet<string>
}

export const useResume = create<ResumeState>()(() => ({
  questions: new Map(),
  gone: new Set(),
  pending: new Set(),
}))

/** Whether the agent may go on now: true at once where nothing is to be asked, false where the person thinks better of it. */
export async function mayResume(agent: AgentState | undefined): Promise<boolean> {
  if (agent === undefined || isLive(agent) || agent.parentId === null || agent.forkOf !== null) return true
  const { id: agentId, conversationId } = agent
  if (useResume.getState().pending.has(agentId)) {
    // Asked twice: the question is there already.
    showAgent(agentId)
    return false
  }
  useResume.setState(({ pending }) => ({ pending: new Set([...pending, agentId]) }))
  try {
    const answer = await command('agent.definitionChange', { agentId, conversationId })
    if (!answer.ok) {
      showNotice({
        level: 'info',
        text: `${agentName(agent)} goes on as it was. Whether its definition has changed could not be told: ${answer.failure.message}`,
      })
      return true
    }
    if (answer.value.kind === 'gone') keepGone(agentId)
    return answer.value.kind === 'changed' ? await ask(agent, answer.value.what) : true
  } finally {
    useResume.setState(({ pending }) => ({ pending: without(pending, agentId) }))
  }
}

/** The line about a definition that is gone was read. */
export function dismissGone(agentId: string): void {
  useResume.setState(({ gone }) => ({ gone: without(gone, agentId) }))
}

function keepGone(agentId: string): void {
  useResume.setState(({ gone }) => ({ gone: new Set([...gone, agentId]) }))
}

/** Resolves with whether it goes on. Where somebody else lets it go on meanwhile nothing is left to ask. */
function ask({ id: agentId, conversationId }: AgentState, what: readonly string[]): Promise<boolean> {
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
    showAgent(agentId)
  })
}

/** Its panel holds the question. */
function showAgent(agentId: string): void {
  setView('stage')
  revealAgent(agentId)
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...set].filter((other) => other !== id))
}
