/** What a new conversation is by the settings, and which conversations the window lists. */
import type { CommandHandler } from '../../../shared/ipc/handlers.ts'
import { ok } from '../../../shared/kernel/result.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { Policy } from '../../runtime/ports/ports.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

/** The choices of the settings. */
export function defaultsBySettings({
  settings,
  isTrusted,
  isRehearsal,
}: {
  readonly settings: { readonly current: Settings }
  readonly isTrusted: (folder: string) => boolean
  /** Whether model requests go to the rehearsal's script now. */
  readonly isRehearsal: () => boolean
}): Policy['defaults'] {
  return (folder) => {
    const { model, effort, thinking, permissionMode, bypassFolders } = settings.current
    const { coordinatorMode, mainAgent } = settings.current
    // As a default for all folders, bypassPermissions still applies to marked folders only.
    const isMarked = isTrusted(folder) && bypassFolders.includes(folder)
    const isRefused = permissionMode === 'bypassPermissions' && !isMarked
    return {
      ...{ model, effort, thinking, mainAgent, coordinator: coordinatorMode, rehearsal: isRehearsal() },
      permissionMode: isRefused ? 'default' : permissionMode,
    }
  }
}

/**
 * Lists the conversations for the window. With the first list, scratch conversations of earlier runs are trashed, which no
 * list shows: later ones are in use, in one of the windows.
 */
export function listForWindow(
  { dispatch, conversations }: Pick<Runtime, 'dispatch' | 'conversations'>,
  now: () => number,
): CommandHandler<'conversation.list'> {
  let isFirst = true
  /** `startedAt`: ms since the epoch. */
  const trashScratch = async (list: readonly ConversationSummary[], startedAt: number) => {
    // A conversation that another process locks now is refused, and stays.
    for (const { id, scratch, test, readOnly, updatedAt } of list)
      if (scratch && !test && !readOnly && updatedAt < startedAt)
        await dispatch({ type: 'conversation.trash', conversationId: id })
  }
  return async () => {
    const startedAt = now()
    const list = await conversations()
    if (isFirst) trashScratch(list, startedAt).catch(() => {})
    isFirst = false
    // Attempts at test cases are many, and no list shows them.
    return ok(list.filter(({ test }) => !test))
  }
}
