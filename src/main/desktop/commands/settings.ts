/** Handlers for the settings. */
import { fail, ok } from '../../../shared/result.ts'
import type { Settings } from '../../../shared/settings.ts'
import type { SettingsPort } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

/** Settings that affect safety or the key's destination have their own commands, with their own checks. */
const protectedKeys: readonly (keyof Settings)[] = [
  'access',
  'baseUrl',
  'providers',
  'trustedFolders',
  'bypassFolders',
  'plugins',
]

export function settingsCommands({ settings }: { readonly settings: SettingsPort }): HandlersOf<'settings'> {
  return {
    'settings.origins': async () => ok(settings.origins?.() ?? {}),
    'settings.change': async ({ patch }) => {
      const refused = protectedKeys.filter((key) => patch[key] !== undefined)
      if (refused.length > 0)
        return fail({
          type: 'not-here',
          message: `Not allowed here: ${refused.join(', ')}. Nothing was changed.`,
        })
      return settings.change(patch)
    },
  }
}
