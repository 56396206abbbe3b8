/** Agents that are paused because what they do can't be saved, and the way to try again. */
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/window-delta.ts'
import type { WriteFailure } from '../../shared/write-failure.ts'
import { command } from '../bridge.ts'
import { showFailure } from './notice-store.ts'

interface WriteFailureState {
  readonly failures: readonly WriteFailure[]
  /** Conversations that are being tried again now. */
  readonly trying: ReadonlySet<string>
}

export const useWriteFailure = create<WriteFailureState>()(() => ({ failures: [], trying: new Set() }))

/** What an agent does whose log can't be written: wait. */
export const UNSAVED = 'paused: its log can’t be written'

/** Why an agent is paused, or null where it is not for this. */
export function useAgentWriteFailure(agentId: string): WriteFailure | null {
  return useWriteFailure(
    ({ failures }) => failures.find(({ agentIds }) => agentIds.includes(agentId)) ?? null,
  )
}

export function receiveWriteFailure(deltas: readonly WindowDelta[]): void {
  for (const delta of deltas)
    if (delta.type === 'write-failure') useWriteFailure.setState({ failures: delta.failures })
}

/** Tries again to save what the agents of a conversation did. Where it fails, the reason stays on the screen. */
export async function retryLog(conversationId: string): Promise<void> {
  if (useWriteFailure.getState().trying.has(conversationId)) return
  useWriteFailure.setState(({ trying }) => ({ trying: new Set([...trying, conversationId]) }))
  const answer = await command('conversation.retryLog', { conversationId })
  useWriteFailure.setState(({ trying }) => ({
    trying: new Set([...trying].filter((id) => id !== conversationId)),
  }))
  if (!answer.ok) showFailure(answer.failure)
}
