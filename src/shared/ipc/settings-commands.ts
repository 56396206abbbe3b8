/** The entries of the window's contract about permission rules, plugins and the files of settings. */
import { z } from 'zod'
import type { InstalledPlugin } from '../installed-plugin.ts'
import type { SettingOrigin } from '../setting-origin.ts'
import type { FolderRules } from '../written-rule.ts'
import { command, none, path } from './command.ts'

const plugin = z.object({ name: z.string().min(1).max(4096) })

export interface ListedRules extends FolderRules {
  /** What is ignored, unknown or broken in settings files, as sentences. */
  readonly problems: readonly string[]
}

export const settingsFileCommands = {
  /** The settings that other files than the program's own decide, by key. */
  'settings.origins': command<Readonly<Record<string, SettingOrigin>>>()(none),
  /** The permission rules that hold in a folder. */
  'rules.list': command<ListedRules>()(z.object({ folder: path })),
  /** Removes a rule that "Always allow" saved. */
  'rules.remove': command<ListedRules>()(z.object({ folder: path, rule: z.string().max(10_000) })),
  'plugins.list': command<readonly InstalledPlugin[]>()(none),
  /** Adds a folder or a repository; it stays off. */
  'plugins.add': command<readonly InstalledPlugin[]>()(z.object({ source: path })),
  /** `digest`: of the content that the user saw. */
  'plugins.enable': command<readonly InstalledPlugin[]>()(plugin.extend({ digest: z.string().max(100) })),
  'plugins.disable': command<readonly InstalledPlugin[]>()(plugin),
  'plugins.remove': command<readonly InstalledPlugin[]>()(plugin),
  'plugins.update': command<readonly InstalledPlugin[]>()(plugin),
} as const
