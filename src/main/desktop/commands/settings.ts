/** What the window changes in the settings. */
import { fail } from '../../../shared/result.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { SettingsPort } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

/** What loosens safety or decides where the key goes has a command of its own, with checks of its own. */
const elsewhere: readonly (keyof Settings)[] = ['access', 'baseUrl', 'trustedFolders', 'bypassFolders']

export function settingsCommands({ settings }: { readonly settings: SettingsPort }): HandlersOf<'settings'> {
  return {
    'settings.change': async ({ patch }) => {
      const refused = elsewhere.filter((key) => patch[key] !== undefined)
      if (refused.length > 0)
        return fail({
          type: 'not-here',
          message: `${refused.join(', ')} can't be changed in this way. Nothing was changed.`,
        })
      return settings.change(patch)
    },
  }
}
