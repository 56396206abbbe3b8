/** The user's actions on conversations of a list: rename, pin, archive, move to the trash and back. */
import { command } from '../bridge.ts'
import { showFailure, showNotice } from './overlay-store.ts'
import { useSession } from './session-store.ts'
import { dropConversation, openConversation, takeConversation } from './shown-conversation.ts'

const { getState: get } = useSession

export async function renameConversation(conversationId: string, title: string): Promise<boolean> {
  const answer = await command('conversation.rename', { conversationId, title })
  if (!answer.ok) showFailure(answer.failure)
  return answer.ok
}

/** Pins or archives a conversation, or takes that back. */
export async function markConversation(
  conversationId: string,
  marks: { readonly pinned?: boolean; readonly archived?: boolean },
): Promise<void> {
  const answer = await command('conversation.mark', { conversationId, ...marks })
  if (!answer.ok) return showFailure(answer.failure)
  if (marks.archived === true)
    showNotice({
      level: 'info',
      text: 'The conversation is archived. The filter finds it.',
      action: { label: 'Undo', run: () => void markConversation(conversationId, { archived: false }) },
    })
}

/** Pins or archives several conversations, or takes that back. The first failure is shown; the others are marked. */
export async function markConversations(
  conversationIds: readonly string[],
  marks: { readonly pinned?: boolean; readonly archived?: boolean },
): Promise<void> {
  const [only, ...others] = conversationIds
  if (only !== undefined && others.length === 0) return markConversation(only, marks)
  const answers = await Promise.all(
    conversationIds.map((conversationId) => command('conversation.mark', { conversationId, ...marks })),
  )
  const failed = answers.find((answer) => !answer.ok)
  if (failed !== undefined && !failed.ok) return showFailure(failed.failure)
  if (marks.archived === true)
    showNotice({
      level: 'info',
      text: `${conversationIds.length} conversations are archived.`,
      action: { label: 'Undo', run: () => void markConversations(conversationIds, { archived: false }) },
    })
}

/** Moves several conversations to the trash and offers to undo the move. Those that fail stay, and the reason is shown. */
export async function trashConversations(conversationIds: readonly string[]): Promise<void> {
  const [only, ...others] = conversationIds
  if (only !== undefined && others.length === 0) return trashConversation(only)
  const trashed: string[] = []
  for (const conversationId of conversationIds) {
    const answer = await command('conversation.trash', { conversationId })
    if (answer.ok) trashed.push(conversationId)
    else showFailure(answer.failure)
  }
  const { conversationId: shown, view } = get()
  for (const id of trashed) dropConversation(id)
  if (shown !== null && trashed.includes(shown)) await openConversation(null, view)
  if (trashed.length === 0) return
  const restore = async () => {
    for (const id of trashed) await restoreConversation(id, false)
  }
  showNotice({
    level: 'info',
    text: `${trashed.length} conversations are in the trash. Their agents were stopped.`,
    action: { label: 'Undo', run: () => void restore() },
  })
}

/** Moves a conversation to the trash and offers to undo the move. */
export async function trashConversation(conversationId: string): Promise<void> {
  const { conversations, conversationId: shown, view } = get()
  const summary = conversations.find(({ id }) => id === conversationId)
  const what = summary === undefined || summary.title === '' ? 'The conversation' : `“${summary.title}”`
  const running = summary?.running ?? 0
  const answer = await command('conversation.trash', { conversationId })
  if (!answer.ok) return showFailure(answer.failure)
  dropConversation(conversationId)
  if (shown === conversationId) await openConversation(null, view)
  showNotice({
    level: 'info',
    text: `${what} is in the trash.${running === 0 ? '' : running === 1 ? ' Its agent was stopped.' : ` Its ${running} agents were stopped.`}`,
    action: { label: 'Undo', run: () => void restoreConversation(conversationId, shown === conversationId) },
  })
}

/** Restores a conversation from the trash. Returns whether it is back. */
export async function restoreConversation(conversationId: string, show: boolean): Promise<boolean> {
  const { view } = get()
  const answer = await command('conversation.restore', { conversationId })
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  takeConversation(answer.value)
  if (show) await openConversation(conversationId, view)
  return true
}
