/** What the person looks at on the stage: which agent is chosen, and what should come into view. */
import { create } from 'zustand'

/** A wish to bring something into view. A new object each time, so that the same wish can be made twice. */
export type Reveal =
  | { readonly kind: 'agent'; readonly agentId: string }
  /** The line to write to it. */
  | { readonly kind: 'line'; readonly agentId: string }
  | { readonly kind: 'request'; readonly agentId: string; readonly requestId: string }

interface StageState {
  /** The agent marked in the tree and, where it has one, in its panel; null: the main agent. */
  readonly selectedAgentId: string | null
  readonly reveal: Reveal | null
}

export const useStage = create<StageState>()(() => ({ selectedAgentId: null, reveal: null }))

/** Opens the panel of an agent and moves the focus there. */
export function revealAgent(agentId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'agent', agentId } })
}

/** Opens the panel of an agent and moves the focus to the line to write to it. */
export function revealLine(agentId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'line', agentId } })
}

/** Brings a permission request into view and moves the focus to it. */
export function revealRequest(agentId: string, requestId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'request', agentId, requestId } })
}

/** Marks an agent without moving anything: its panel got the focus. */
export function selectAgent(agentId: string | null): void {
  useStage.setState({ selectedAgentId: agentId })
}

/** Whoever did what a reveal wished for says so; nobody does it twice. */
export function revealDone(reveal: Reveal): void {
  if (useStage.getState().reveal === reveal) useStage.setState({ reveal: null })
}
