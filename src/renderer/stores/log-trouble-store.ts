/** Agents that are paused because what they do can't be saved, and the way to try again. */
import { create } from 'zustand'
import type { LogTrouble, WindowDelta } from '../../shared/ipc-contract.ts'
import { command } from '../bridge.ts'
import { showFailure } from './notice-store.ts'

interface LogTroubleState {
  readonly troubles: readonly LogTrouble[]
  /** Conversations that are being tried again now. */
  readonly trying: ReadonlySet<string>
}

export const useLogTrouble = create<LogTroubleState>()(() => ({ troubles: [], trying: new Set() }))

/** What an agent does whose log can't be written: wait. */
export const UNSAVED = 'paused: its log can’t be written'

/** Why an agent is paused, or null where it is not for this. */
export function useAgentLogTrouble(agentId: string): LogTrouble | null {
  return useLogTrouble(({ troubles }) => troubles.find(({ agentIds }) => agentIds.includes(agentId)) ?? null)
}

export function receiveLogTrouble(deltas: readonly WindowDelta[]): void {
  for (const delta of deltas)
    if (delta.type === 'log-trouble') useLogTrouble.setState({ troubles: delta.troubles })
}

/** Tries again to save what the agents of a conversation did. Where it fails, the reason stays on the screen. */
export async function retryLog(conversationId: string): Promise<void> {
  if (useLogTrouble.getState().trying.has(conversationId)) return
  useLogTrouble.setState(({ trying }) => ({ trying: new Set([...trying, conversationId]) }))
  const answer = await command('conversation.retryLog', { conversationId })
  useLogTrouble.setState(({ trying }) => ({
    trying: new Set([...trying].filter((id) => id !== conversationId)),
  }))
  if (!answer.ok) showFailure(answer.failure)
}
