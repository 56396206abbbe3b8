/** The agents that have a window of their own, and the user's actions on those windows. */
import { create } from 'zustand'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { command } from '../bridge.ts'
import { useConversation } from './conversation-store.ts'
import { showFailure } from './overlay-store.ts'

export const useOwnWindows = create<{ readonly agentIds: ReadonlySet<string> }>()(() => ({
  agentIds: new Set(),
}))

export function receiveOwnWindows(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'agent-windows')
  if (last?.type === 'agent-windows') useOwnWindows.setState({ agentIds: new Set(last.agentIds) })
}

/** Whether the agent is shown in a window of its own. */
export function useHasOwnWindow(agentId: string): boolean {
  return useOwnWindows((state) => state.agentIds.has(agentId))
}

/** Shows an agent of the shown conversation in a window of its own, or brings that window to the front. */
export function openOwnWindow(agentId: string): void {
  void act('agentWindow.open', agentId)
}

/** Closes the agent's own window. The agent continues, and its panel is on the stage again. */
export function bringBack(agentId: string): void {
  void act('agentWindow.close', agentId)
}

/** Gives exactly these agents of the shown conversation windows of their own. */
export function showOwnWindows(agentIds: readonly string[]): void {
  const open = useOwnWindows.getState().agentIds
  for (const id of useConversation.getState().agents.keys())
    if (open.has(id) && !agentIds.includes(id)) bringBack(id)
  for (const id of agentIds) if (!open.has(id)) openOwnWindow(id)
}

async function act(name: 'agentWindow.open' | 'agentWindow.close', agentId: string): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const answer = await command(name, { agentId, conversationId })
  if (!answer.ok) showFailure(answer.failure)
}
