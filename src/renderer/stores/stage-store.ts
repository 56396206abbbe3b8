/** The selected agent of the stage, and requests to bring an element into view. */
import { create } from 'zustand'

/** A request to bring an element into view. Each request is a new object, so that it can be repeated. */
type Reveal =
  | { readonly kind: 'agent'; readonly agentId: string }
  /** The agent's message field. */
  | { readonly kind: 'line'; readonly agentId: string }
  | { readonly kind: 'request'; readonly agentId: string; readonly requestId: string }

interface StageState {
  /** The agent selected in the tree and in its panel, if any; null: the main agent. */
  readonly selectedAgentId: string | null
  readonly reveal: Reveal | null
}

export const useStage = create<StageState>()(() => ({ selectedAgentId: null, reveal: null }))

/** Opens the panel of an agent and moves the focus there. */
export function revealAgent(agentId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'agent', agentId } })
}

/** Opens the panel of an agent and moves the focus to its message field. */
export function revealLine(agentId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'line', agentId } })
}

/** Brings a permission request into view and moves the focus to it. */
export function revealRequest(agentId: string, requestId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'request', agentId, requestId } })
}

/** Selects an agent without moving the focus: its panel already has the focus. */
export function selectAgent(agentId: string | null): void {
  useStage.setState({ selectedAgentId: agentId })
}

/** Clears a reveal after it was carried out, so that it happens only once. */
export function revealDone(reveal: Reveal): void {
  if (useStage.getState().reveal === reveal) useStage.setState({ reveal: null })
}
