/** `troupe update` */
import { type CommandLineRoot, programVersion, type Verbs, verb, withSettings } from '../../command-line.ts'
import { asJson, flag } from '../../platform/command-line/verb.ts'

export const updateVerbs: Verbs = [
  verb({
    words: 'update',
    summary: 'fetch a newer version from the address in the settings, and say how to install it',
    options: {
      check: flag('say only whether there is one'),
      install: flag('install it as well, where it came from a package for npm or Debian'),
      ...asJson,
    },
    misuse: ([extra]) => `Unexpected argument "${extra}". The address is a setting: updateUrl.`,
    run: (root: CommandLineRoot, options) =>
      withSettings(root, options, async ({ settings, output, errors }) => {
        const { updateCommand } = await import('./update.ts')
        const { updateUrl, updateKey } = settings.current
        return updateCommand(options, {
          ...{ output, errors, dataFolder: root.dataFolder, programFolder: root.programFolder },
          source: { url: updateUrl, key: updateKey },
          version: await programVersion(root),
          environment: root.given.forChildren,
          isRoot: process.getuid?.() === 0,
          elevate: 'sudo',
        })
      }),
  }),
]
