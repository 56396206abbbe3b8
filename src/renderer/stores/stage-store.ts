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

/** The user's arrangement of the stage and its tree, stored per conversation in the local storage. */
export const layouts = ['focus', 'columns', 'grid', 'free'] as const
export type Layout = (typeof layouts)[number]

export interface StageMemory {
  /** Null: the layout of the settings. */
  readonly layout: Layout | null
  readonly pinned: readonly string[]
  /** The agent shown alone in the layout `focus`. */
  readonly focused: string | null
  /** The serialized layout of the docking library, for the layout `free`. */
  readonly dock: unknown
  /** The agents whose subagents are hidden in the tree. */
  readonly collapsed: readonly string[]
}

const NOTHING: StageMemory = { layout: null, pinned: [], focused: null, dock: null, collapsed: [] }
const PREFIX = 'troupe.stage.'
/** Number of stored arrangements; the local storage is limited. */
const KEPT = 100

interface MemoryState {
  readonly conversationId: string | null
  readonly memory: StageMemory
}

export const useStageMemory = create<MemoryState>()(() => ({ conversationId: null, memory: NOTHING }))

/** Loads the stored arrangement of a conversation. */
export function recall(conversationId: string | null): void {
  if (useStageMemory.getState().conversationId === conversationId) return
  useStageMemory.setState({
    conversationId,
    memory: conversationId === null ? NOTHING : read(conversationId),
  })
}

/** Changes and stores the arrangement of the conversation on the screen. */
export function remember(change: Partial<StageMemory>): void {
  const { conversationId, memory } = useStageMemory.getState()
  const next = { ...memory, ...change }
  useStageMemory.setState({ memory: next })
  if (conversationId !== null) write(conversationId, next)
}

function read(conversationId: string): StageMemory {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PREFIX + conversationId) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return NOTHING
    const { layout, pinned, focused, dock, collapsed } = stored as Partial<Record<keyof StageMemory, unknown>>
    return {
      layout: layouts.find((one) => one === layout) ?? null,
      pinned: strings(pinned),
      focused: typeof focused === 'string' ? focused : null,
      dock: dock ?? null,
      collapsed: strings(collapsed),
    }
  } catch {
    return NOTHING
  }
}

function strings(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
}

/** If the storage is full or forbidden, the arrangement lasts as long as the window. */
function write(conversationId: string, memory: StageMemory): void {
  try {
    const key = PREFIX + conversationId
    // Removing the key first makes it the newest one: keys are in the order of their insertion.
    localStorage.removeItem(key)
    const keys = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    for (const oldest of keys.slice(0, Math.max(0, keys.length - KEPT + 1))) localStorage.removeItem(oldest)
    localStorage.setItem(key, JSON.stringify(memory))
  } catch {
    // See above.
  }
}
