/**
 * What the stage shows beside the conversation, or instead of it: the panels of the agents, what they changed, a comparison,
 * or the answer over the whole width with the agents as a list of reports; which agent is selected or to be brought into
 * view; and the user's arrangement of the panels.
 */
import { create } from 'zustand'
import { type AgentState, isLive } from '../../shared/state/agent-state.ts'
import { useConversation } from './conversation-store.ts'

export type StagePart = 'answer' | 'panels' | 'changes' | 'comparison'

interface StagePartState {
  /** The conversation of `part`; every other one shows its panels. */
  readonly conversationId: string | null
  readonly part: StagePart
  /** What was shown before the changes. */
  readonly before: Exclude<StagePart, 'changes'>
  /** Whether the end of all agents was seen since one of them last worked. */
  readonly sawEnd: boolean
}

const useStagePartState = create<StagePartState>()(() => ({
  conversationId: null,
  part: 'panels',
  before: 'panels',
  sawEnd: false,
}))

const { getState: get, setState: set } = useStagePartState

export function stagePartNow(): StagePart {
  const { conversationId, part } = get()
  return conversationId === useConversation.getState().conversationId ? part : 'panels'
}

export function useStagePart(): StagePart {
  const shown = useConversation((state) => state.conversationId)
  return useStagePartState(({ conversationId, part }) => (conversationId === shown ? part : 'panels'))
}

/** Shows a part of the stage for the conversation on the screen. */
export function showStagePart(part: StagePart): void {
  const now = stagePartNow()
  const { conversationId, sawEnd } = known()
  set({ conversationId, sawEnd, part, before: now === 'changes' ? get().before : now })
}

/** Shows again what the changes took the place of. */
export function leaveChanges(): void {
  if (stagePartNow() === 'changes') showStagePart(get().before)
}

/** The state, made that of the conversation on the screen. */
function known(): StagePartState {
  const { conversationId } = useConversation.getState()
  const state = get()
  if (state.conversationId === conversationId) return state
  return { conversationId, part: 'panels', before: 'panels', sawEnd: false }
}

/** Where the work of a conversation's agents stands: whether a subagent works, or all have ended and the answer is there. */
export type AnswerProgress = 'working' | 'answered' | 'other'

export function progressOf(agents: ReadonlyMap<string, AgentState>): AnswerProgress {
  let main: AgentState | undefined
  let subagents = 0
  for (const agent of agents.values()) {
    if (agent.parentId === null) main ??= agent
    else if (isLive(agent)) return 'working'
    else subagents += 1
  }
  if (main === undefined || subagents === 0 || isLive(main)) return 'other'
  const hasAnswer = main.status === 'waiting' || main.status === 'completed'
  return hasAnswer && main.turn > 0 && main.reachedLimit === null ? 'answered' : 'other'
}

/**
 * Shows the answer once when all agents have ended, unless the user looks at something else or is typing; and the
 * panels again when a subagent works. What the user chooses in between stays.
 */
export function followProgress(progress: AnswerProgress, isTyping: boolean): void {
  const state = known()
  const { part, sawEnd } = state
  if (progress === 'answered' && !sawEnd)
    set({ ...state, sawEnd: true, part: part === 'panels' && !isTyping ? 'answer' : part })
  else if (progress === 'working' && sawEnd)
    set({ ...state, sawEnd: false, part: part === 'answer' ? 'panels' : part })
}

// The selected agent, and what is to be brought into view.

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
  /** Changes when a whole arrangement replaces another one: the docking library then reads its layout again. */
  readonly revision: number
  /** The agents that have a panel now. */
  readonly shown: readonly string[]
  /** The agents that a new arrangement begins with, until the stage has taken them over. */
  readonly wanted: readonly string[] | null
}

export const useStageMemory = create<MemoryState>()(() => ({
  conversationId: null,
  memory: NOTHING,
  revision: 0,
  shown: [],
  wanted: null,
}))

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

/** Replaces the arrangement of the panels of the conversation on the screen. The tree keeps its own. */
export function arrangeAnew(arrangement: Omit<StageMemory, 'collapsed'>, wanted: readonly string[]): void {
  remember(arrangement)
  useStageMemory.setState(({ revision }) => ({ revision: revision + 1, wanted }))
}

/** Notes which agents have a panel now. */
export function noteShown(shown: readonly string[]): void {
  useStageMemory.setState({ shown, wanted: null })
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
