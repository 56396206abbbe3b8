/** Handlers for the system: files, terminals, links, notifications. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Program } from '../services.ts'
import type { SystemOpener } from '../system/system-opener.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface SystemDeps {
  readonly program: () => Promise<Program>
  readonly opener: SystemOpener
  /** Notifies the user if the window is in the background. */
  readonly notify: (notice: {
    readonly title: string
    readonly body: string
    readonly needsYou: number
  }) => void
}

export function systemCommands({ program, opener, notify }: SystemDeps): HandlersOf<'system'> {
  return {
    'system.openFile': (location) => opener.openFile(location),
    'system.openSetup': async ({ folder, path }) => {
      const { setup } = await program()
      const items = setup === undefined ? [] : (await setup.report(folder)).items
      return items.some(({ file }) => file === path)
        ? opener.openFound(path)
        : fail({
            type: 'not-found',
            message: `${path} was not opened: it is not part of your setup any more.`,
          })
    },
    'system.openTerminal': ({ folder }) => opener.openTerminal(folder),
    'system.reveal': ({ path }) => opener.reveal(path),
    'system.openLink': ({ url }) => opener.openLink(url),
    'system.notify': async (notice) => ok(notify(notice)),
  }
}
