/** The agent whose context window the overlay shows. */
import { create } from 'zustand'
import { showOverlay } from './overlay-store.ts'

interface ContextShown {
  /** Null: the main agent of the shown conversation. */
  readonly agentId: string | null
}

export const useContextShown = create<ContextShown>()(() => ({ agentId: null }))

/** Shows what fills the context window of an agent; null: of the main agent. */
export function showContext(agentId: string | null): void {
  useContextShown.setState({ agentId })
  showOverlay('context')
}
