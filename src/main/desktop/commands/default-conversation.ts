/** The settings of a new conversation in a folder. */
import type { NewConversation } from '../../runtime/ports/runtime.ts'
import type { SettingsPort } from '../services.ts'

export interface DefaultConversationDeps {
  readonly settings: SettingsPort
  /** Whether model requests go to the rehearsal's script now. */
  readonly isRehearsal: () => boolean
}

export function defaultConversation(
  folder: string,
  { settings, isRehearsal }: DefaultConversationDeps,
): NewConversation {
  const { model, effort, thinking, permissionMode, bypassFolders } = settings.current
  // As a default for all folders, bypassPermissions still applies to marked folders only.
  const isMarked = settings.trusts(folder) && bypassFolders.includes(folder)
  const isRefused = permissionMode === 'bypassPermissions' && !isMarked
  return {
    folder,
    model,
    effort,
    thinking,
    permissionMode: isRefused ? 'default' : permissionMode,
    rehearsal: isRehearsal(),
  }
}
