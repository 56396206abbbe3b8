/**
 * Coordinator mode of the conversation on the screen. A new conversation takes the mode that is chosen before its first
 * message; one that has begun keeps its mode, and can continue in a new conversation with the other mode.
 */
import { command } from '../../bridge.ts'
import { takeConversation } from '../conversation-list.ts'
import { useConversation } from '../conversation-store.ts'
import { focusComposer } from '../draft-store.ts'
import { showFailure, showNotice } from '../notice-store.ts'
import { showOverlay } from '../overlay-store.ts'
import { type SessionState, useSession } from '../session-store.ts'
import { openConversation } from '../shown-conversation.ts'

/** The mode of the next new conversation. The environment comes before the settings. */
export function coordinatesNext({
  draft,
  info,
  settings,
}: Pick<SessionState, 'draft' | 'info' | 'settings'>): boolean {
  return draft.coordinatorMode ?? info.coordinatorMode ?? settings.coordinatorMode
}

/** Whether the conversation on the screen is coordinated, or the next new one if none is. */
export function useCoordinates(): boolean {
  const begun = useConversation((state) => state.record?.coordinator)
  const next = useSession(coordinatesNext)
  return begun ?? next
}

/** Switches a new conversation; for one that has begun, offers a new conversation with the other mode. */
export function toggleCoordinator(): void {
  const session = useSession.getState()
  if (session.conversationId !== null) {
    if (useConversation.getState().record !== null) showOverlay('coordinator')
    return
  }
  useSession.setState({ draft: { ...session.draft, coordinatorMode: !coordinatesNext(session) } })
}

/** Shows an empty new conversation in this mode. */
export async function startInMode(coordinatorMode: boolean): Promise<void> {
  await openConversation(null)
  useSession.setState(({ draft }) => ({ draft: { ...draft, coordinatorMode } }))
  focusComposer()
}

/** Continues the conversation on the screen in a branch with this mode. False: it could not; a notice says why. */
export async function continueInMode(coordinator: boolean): Promise<boolean> {
  const { conversationId, record } = useConversation.getState()
  if (conversationId === null) return false
  const { view } = useSession.getState()
  const answer = await command('conversation.branch', {
    conversationId,
    seq: null,
    message: null,
    coordinator,
  })
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  takeConversation(answer.value)
  // The user may have opened another conversation meanwhile.
  if (useConversation.getState().conversationId !== conversationId) return false
  await openConversation(answer.value.id, view)
  focusComposer()
  showNotice({
    level: 'info',
    text: `This is a branch ${coordinator ? 'in' : 'without'} coordinator mode. “${record?.title ?? ''}” stays as it was.`,
    action: { label: 'Go back', run: () => void openConversation(conversationId) },
  })
  return true
}
