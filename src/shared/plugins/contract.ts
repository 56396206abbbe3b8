/** The window's commands about plugins. */
import { z } from 'zod'
import { command, none, path } from '../kernel/command.ts'
import type { InstalledPlugin } from './installed-plugin.ts'

const plugin = z.object({ name: z.string().min(1).max(4096) })

export const pluginContract = {
  'plugins.list': command<readonly InstalledPlugin[]>()(() => none),
  /** Adds a folder or a repository; it stays off. */
  'plugins.add': command<readonly InstalledPlugin[]>()(() => z.object({ source: path })),
  /** `digest`: of the content that the user saw. */
  'plugins.enable': command<readonly InstalledPlugin[]>()(() =>
    plugin.extend({ digest: z.string().max(100) }),
  ),
  'plugins.disable': command<readonly InstalledPlugin[]>()(() => plugin),
  'plugins.remove': command<readonly InstalledPlugin[]>()(() => plugin),
  'plugins.update': command<readonly InstalledPlugin[]>()(() => plugin),
} as const
