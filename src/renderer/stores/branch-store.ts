/** Branches of the shown conversation: an earlier message is edited and sent again, or the conversation continues there. */
import { create } from 'zustand'
import type { ImageBlock } from '../../shared/messages/content.ts'
import { command } from '../bridge.ts'
import { takeConversation } from './conversation-list.ts'
import { useConversation } from './conversation-store.ts'
import { focusComposer } from './draft-store.ts'
import { showFailure } from './notice-store.ts'
import { useSession } from './session-store.ts'
import { openConversation } from './shown-conversation.ts'

interface BranchState {
  /** The message that is being edited, by its id, with the text so far. */
  readonly edit: { readonly messageId: string; readonly text: string } | null
  /** A branch is being made. */
  readonly busy: boolean
}

export const useBranch = create<BranchState>()(() => ({ edit: null, busy: false }))

/** Starts or changes the edit of a message; another edit is dropped. Null: ends it. */
export function editMessage(edit: BranchState['edit']): void {
  useBranch.setState({ edit })
}

/**
 * Continues the shown conversation in a branch, and shows the branch. `message` replaces the message with that number;
 * null: the branch contains that message and its answer. On a failure the edit stays. True: the branch is on the screen.
 */
export async function branchAt(
  seq: number,
  message: { readonly text: string; readonly images: readonly ImageBlock[] } | null,
): Promise<boolean> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null || useBranch.getState().busy) return false
  useBranch.setState({ busy: true })
  const { view } = useSession.getState()
  try {
    const answer = await command('conversation.branch', {
      conversationId,
      seq,
      message: message && { text: message.text, images: [...message.images] },
    })
    if (!answer.ok) {
      showFailure(answer.failure)
      return false
    }
    editMessage(null)
    takeConversation(answer.value)
    // The user may have opened another conversation meanwhile.
    if (useConversation.getState().conversationId !== conversationId) return false
    await openConversation(answer.value.id, view)
    focusComposer()
    return true
  } finally {
    useBranch.setState({ busy: false })
  }
}
