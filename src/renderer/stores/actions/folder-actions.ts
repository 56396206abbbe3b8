/** Opens folders and sets their trust. */

import type { View } from '../../../shared/commands/views.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import { command } from '../../bridge.ts'
import { loadDefinitions, takeFolder } from '../folder-facts.ts'
import { showFailure } from '../notice-store.ts'
import { setViewFrom, useSession } from '../session-store.ts'
import { openConversation, remembered, switchConversation } from '../shown-conversation.ts'

const { getState: get, setState: set } = useSession

/** Where a folder opens: in this window, or in another one. A folder that another window has is shown there. */
type OpenIn = 'here' | 'new-window'

/** Lets the user choose a folder with the system's dialog. True if this window shows it. */
export async function pickFolder(where: OpenIn = 'here'): Promise<boolean> {
  const { view } = get()
  return entered(await command('folder.pick', { newWindow: where === 'new-window' }), view)
}

/** True if this window shows the folder. */
export async function openFolder(path: string, where: OpenIn = 'here'): Promise<boolean> {
  const { view } = get()
  return entered(await command('folder.open', { path, newWindow: where === 'new-window' }), view)
}

/** Copies the bundled sample project and opens it. */
export async function openSample(): Promise<boolean> {
  const { view } = get()
  return entered(await command('folder.sample', {}), view)
}

export async function trustFolder(path: string, trusted: boolean): Promise<void> {
  const answer = await command('folder.trust', { path, trusted })
  if (!answer.ok) return showFailure(answer.failure)
  takeFolder(answer.value)
  if (get().folder?.path === path) await loadDefinitions(path)
}

export async function allowBypass(path: string, allowed: boolean): Promise<void> {
  const answer = await command('folder.bypass', { path, allowed })
  if (answer.ok) takeFolder(answer.value)
  else showFailure(answer.failure)
}

/**
 * Switches to a folder: loads its agents and shows a conversation, without one the folder's last.
 *
 * @param from the view that the user was in when they asked; a view chosen since then stays
 */
export async function enterFolder(
  folder: FolderInfo,
  conversationId?: string,
  from: View = get().view,
): Promise<void> {
  set({ folder, definitions: [], definitionProblems: [], waitingTexts: 0 })
  void loadDefinitions(folder.path)
  if (conversationId !== undefined) return openConversation(conversationId, from)
  const last = remembered(folder.path)
  const { listed, conversations } = get()
  // Until the list has loaded, the last conversation is assumed to exist; the list corrects a wrong assumption.
  const known = !listed || conversations.some(({ id, folder: other }) => id === last && other === folder.path)
  // These views stay: a user who edits agents continues with the agents of the other folder.
  if (from !== 'agents' && from !== 'review') setViewFrom(from, 'stage')
  await switchConversation(known ? last : null)
}

function entered(answer: Answer<FolderInfo | null>, from: View): boolean {
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  if (answer.value === null) return false
  void enterFolder(answer.value, undefined, from)
  return true
}
