/** Handlers for the system: files, terminals, links, notifications. */
import { ok } from '../../../shared/result.ts'
import type { SystemOpener } from '../system/system-opener.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface SystemDeps {
  readonly opener: SystemOpener
  /** Notifies the user if the window is in the background. */
  readonly notify: (notice: {
    readonly title: string
    readonly body: string
    readonly needsYou: number
  }) => void
}

export function systemCommands({ opener, notify }: SystemDeps): HandlersOf<'system'> {
  return {
    'system.openFile': (location) => opener.openFile(location),
    'system.openTerminal': ({ folder }) => opener.openTerminal(folder),
    'system.reveal': ({ path }) => opener.reveal(path),
    'system.openLink': ({ url }) => opener.openLink(url),
    'system.notify': async (notice) => ok(notify(notice)),
  }
}
