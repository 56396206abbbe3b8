/** The settings as the window changes them, the files that they come from, and updates of the program. */
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { isProtectedSetting, protectedSettings } from '../../../shared/settings/settings-layers.ts'
import type { Folders } from '../folders/folders.ts'
import type { KeyBindingsPort, Program, SettingsPort } from '../services.ts'
import type { SystemOpener } from '../system/system-opener.ts'
import type { CommandCall } from './dispatch.ts'

export interface SettingsParts {
  readonly program: () => Promise<Program>
  readonly settings: SettingsPort
  readonly keyBindings: KeyBindingsPort
  readonly folders: Folders
  readonly opener: SystemOpener
  /** Whether this version may take the place of this one; asks if agents are working. */
  readonly askToUpdate: (version: string) => Promise<boolean>
  /** Asks whether updates may come from this address, signed with this key. */
  readonly askAboutUpdates: (url: string, key: string) => Promise<boolean>
  readonly restart: () => void
}

/** Changes settings, apart from those that only a command of their own may set. */
export function settingsCommands({
  settings,
}: Pick<SettingsParts, 'settings'>): Omit<HandlersOf<'settings', [CommandCall]>, 'settings.open'> {
  return {
    'settings.origins': async () => ok(await settings.origins()),
    'settings.reset': async ({ names }) => {
      const refused = names.filter(isProtectedSetting)
      if (refused.length > 0)
        return fail({
          type: 'not-here',
          message: `Not allowed here: ${refused.join(', ')}. Nothing was changed.`,
        })
      return settings.reset(names)
    },
    'settings.change': async ({ patch }) => {
      const refused = protectedSettings.filter((key) => patch[key] !== undefined)
      if (refused.length > 0)
        return fail({
          type: 'not-here',
          message: `Not allowed here: ${refused.join(', ')}. Nothing was changed.`,
        })
      return settings.change(patch)
    },
  }
}

/** Opens only files that settings, the setup, hooks, servers or rules come from: the window shows texts of models. */
export function openSettings({
  settings,
  keyBindings,
  program,
  folders,
  opener,
}: SettingsParts): Pick<HandlersOf<'settings', [CommandCall]>, 'settings.open'> {
  const isOfFolder = async (folder: string, file: string): Promise<boolean> => {
    const { setup, handlers, mcp } = await program()
    const { items } = await setup.report(folder)
    if (items.some((item) => item.file === file)) return true
    const [hooks, servers, rules] = await Promise.all([
      handlers['hooks.state']({ folder }),
      mcp.state(folder),
      handlers['rules.list']({ folder }),
    ])
    return (
      (hooks.ok && hooks.value.entries.some((entry) => entry.file === file)) ||
      servers.servers.some((server) => server.file === file) ||
      (rules.ok && rules.value.entries.some((rule) => rule.file === file))
    )
  }
  return {
    'settings.open': async ({ folder, file, line }) => {
      if (
        settings.files.includes(file) ||
        keyBindings.current.file === file ||
        keyBindings.claudeFile === file
      )
        return opener.openFound(file, line)
      const known = folder === null ? null : await folders.known(folder)
      if (known?.ok === false) return known
      return known !== null && (await isOfFolder(known.value, file))
        ? opener.openFound(file, line)
        : fail({ type: 'not-found', message: `${file} was not opened: no setting comes from it.` })
    },
  }
}

/** Where updates come from is decided in a dialog that no page can answer: they replace this program. */
export function updateCommands({
  program,
  settings,
  askToUpdate,
  askAboutUpdates,
  restart,
}: Pick<SettingsParts, 'program' | 'settings' | 'askToUpdate' | 'askAboutUpdates' | 'restart'>): Pick<
  HandlersOf<'update', [CommandCall]>,
  'update.install' | 'update.source'
> {
  return {
    'update.install': async () => {
      const installed = await (await program()).updates.install(askToUpdate)
      if (installed.ok && installed.value === 'installed') restart()
      return installed
    },
    'update.source': async ({ url, key }) => {
      if (url !== '' && key !== '') {
        const usable = await (await program()).updates.checkSource({ url, key })
        if (!usable.ok) return usable
        if (!(await askAboutUpdates(url, key))) return ok(null)
      }
      return settings.change({ updateUrl: url, updateKey: key })
    },
  }
}
