/**
 * What the stage shows beside the conversation, or instead of it: the panels of the agents, what they changed, a comparison,
 * or the answer over the whole width with the agents as a list of reports.
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
