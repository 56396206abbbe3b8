/** What the window asks of the system around it. */
import { ok } from '../../../shared/result.ts'
import type { Places } from '../system/open-places.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface SystemDeps {
  readonly places: Places
  /** Tells the user, if the window is not in front. */
  readonly notify: (notice: {
    readonly title: string
    readonly body: string
    readonly needsYou: number
  }) => void
}

export function systemCommands({ places, notify }: SystemDeps): HandlersOf<'system'> {
  return {
    'system.openFile': (place) => places.openFile(place),
    'system.openTerminal': ({ folder }) => places.openTerminal(folder),
    'system.reveal': ({ path }) => places.reveal(path),
    'system.openLink': ({ url }) => places.openLink(url),
    'system.notify': async (notice) => ok(notify(notice)),
  }
}
