/** Agents that are paused because their logs can't be written, and the retry. */
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { WriteFailure } from '../../shared/state/conversation-delta.ts'
import { command } from '../bridge.ts'
import { showFailure } from './notice-store.ts'

interface WriteFailureState {
  readonly failures: readonly WriteFailure[]
  /** Conversations with a running retry. */
  readonly trying: ReadonlySet<string>
}

export const useWriteFailure = create<WriteFailureState>()(() => ({ failures: [], trying: new Set() }))

/** The activity text of an agent whose log can't be written. */
export const UNSAVED = 'paused: its log can’t be written'

/** The write failure that paused an agent, or null. */
export function useAgentWriteFailure(agentId: string): WriteFailure | null {
  return useWriteFailure(
    ({ failures }) => failures.find(({ agentIds }) => agentIds.includes(agentId)) ?? null,
  )
}

export function receiveWriteFailure(deltas: readonly WindowDelta[]): void {
  for (const delta of deltas)
    if (delta.type === 'write-failure') useWriteFailure.setState({ failures: delta.failures })
}

/** Retries the failed writes of a conversation. On a failure the reason stays on the screen. */
export async function retryLog(conversationId: string): Promise<void> {
  if (useWriteFailure.getState().trying.has(conversationId)) return
  useWriteFailure.setState(({ trying }) => ({ trying: new Set([...trying, conversationId]) }))
  const answer = await command('conversation.retryLog', { conversationId })
  useWriteFailure.setState(({ trying }) => ({
    trying: new Set([...trying].filter((id) => id !== conversationId)),
  }))
  if (!answer.ok) showFailure(answer.failure)
}
