/** Shows one event of one agent's transcript: its conversation opens, the panel scrolls to the event and marks it. */
import { create } from 'zustand'
import { historyProgramOf } from '../../shared/histories/history.ts'
import { useConversation } from './conversation-store.ts'
import { showNotice, showOverlay } from './overlay-store.ts'
import { setView, useSession } from './session-store.ts'
import { openConversation } from './shown-conversation.ts'
import { remember, revealAgent, useStageMemory } from './stage-store.ts'

/** An event of an agent's transcript. */
export interface Place {
  readonly conversationId: string
  readonly agentId: string
  /** The `seq` of the event. */
  readonly sequence: number
  /** A text in the event, which is highlighted; missing: only the row is marked. */
  readonly text?: string
}

/**
 * The place that a transcript is to show; null: none. It waits here until the panel of its agent is open and has loaded the
 * transcript's newest page.
 */
const useShownPlace = create<{ readonly place: Place | null }>()(() => ({ place: null }))

interface PlaceOptions {
  /** Pins the agent's panel, so that it stays beside the others. */
  readonly pin?: boolean
}

/**
 * Opens the place on the stage. A notice says so where the conversation or the agent is gone. If another window has the folder, that window
 * shows the conversation.
 */
export async function showPlace(place: Place, { pin = false }: PlaceOptions = {}): Promise<void> {
  const { conversationId: shown, phase } = useConversation.getState()
  if (shown === place.conversationId && phase === 'ready') setView('stage')
  else if (isDeleted(place.conversationId)) {
    const action = { label: 'Deleted conversations', run: () => showOverlay('trash') }
    showNotice({ level: 'error', text: 'This conversation was deleted. It can be restored.', action })
    return
  } else await openConversation(place.conversationId)
  const { conversationId, phase: now, agents } = useConversation.getState()
  // The conversation column says why a conversation can't be opened.
  if (conversationId !== place.conversationId || now !== 'ready') return
  const agent = agents.get(place.agentId)
  if (agent === undefined) {
    showNotice({ level: 'error', text: 'This agent is no longer in the conversation.' })
    return
  }
  useShownPlace.setState({ place: { ...place } })
  const { pinned } = useStageMemory.getState().memory
  if (pin && agent.parentId !== null && !pinned.includes(agent.id))
    remember({ pinned: [...pinned, agent.id] })
  revealAgent(place.agentId)
}

/** Whether no list has the conversation any more. Histories are in other lists. */
function isDeleted(conversationId: string): boolean {
  const { listed, conversations } = useSession.getState()
  return (
    listed &&
    historyProgramOf(conversationId) === null &&
    !conversations.some(({ id }) => id === conversationId)
  )
}

/** The place that this agent's transcript is to show; null: none. */
export function usePlaceIn(agentId: string): Place | null {
  return useShownPlace(({ place }) => (place?.agentId === agentId ? place : null))
}

/** Ends the request for a place after it was carried out, so that it happens only once. */
export function placeShown(place: Place): void {
  if (useShownPlace.getState().place === place) useShownPlace.setState({ place: null })
}
