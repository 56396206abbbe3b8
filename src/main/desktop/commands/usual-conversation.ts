/** What a new conversation in a folder starts with, where nobody says otherwise. */
import type { NewConversation } from '../../runtime/runtime.ts'
import type { SettingsPort } from '../services.ts'

export interface UsualConversationDeps {
  readonly settings: SettingsPort
  /** Whether the model is the rehearsal's script at the moment. */
  readonly isRehearsal: () => boolean
}

export function usualConversation(
  folder: string,
  { settings, isRehearsal }: UsualConversationDeps,
): NewConversation {
  const { model, permissionMode, trustedFolders, bypassFolders } = settings.current
  // Chosen as the default for all folders, it still holds only in those that were marked.
  const isMarked = trustedFolders.includes(folder) && bypassFolders.includes(folder)
  const isRefused = permissionMode === 'bypassPermissions' && !isMarked
  return {
    folder,
    model,
    permissionMode: isRefused ? 'default' : permissionMode,
    rehearsal: isRehearsal(),
  }
}
