/** `troupe plugins …` */
import { dispatchTo } from '../../../shared/ipc/handlers.ts'
import { type CommandLineRoot, type Verbs, verb, withSettings } from '../../command-line.ts'
import { asJson } from '../../platform/command-line/verb.ts'
import type { PluginsCommand } from './plugins-command.ts'

const forPlugin = {
  ...{ arguments: { name: 'NAME' }, options: asJson },
  misuse:
    'Use troupe plugins list, add SOURCE, enable NAME DIGEST, disable NAME, remove NAME or update NAME.',
} as const

export const pluginVerbs: Verbs = [
  verb({
    words: 'plugins list',
    summary: 'list the plugins, with what they bring and their digests',
    options: asJson,
    misuse: forPlugin.misuse,
    run,
  }),
  verb({
    words: 'plugins add',
    ...forPlugin,
    arguments: { name: 'SOURCE' },
    summary: 'add a folder or a git repository: OWNER/REPO of GitHub, or URL; …#NAME: one of a marketplace',
    run,
  }),
  verb({
    words: 'plugins enable',
    arguments: { name: 'NAME', digest: 'DIGEST' },
    summary: 'use a plugin as it is now; DIGEST: as the list shows it',
    options: asJson,
    misuse:
      'Give the plugin and the digest that troupe plugins list shows: troupe plugins enable NAME DIGEST',
    run,
  }),
  verb({ words: 'plugins disable', summary: 'use it no more', ...forPlugin, run }),
  verb({ words: 'plugins remove', summary: 'delete it here', ...forPlugin, run }),
  verb({ words: 'plugins update', summary: 'fetch its newest version', ...forPlugin, run }),
]

function run(root: CommandLineRoot, command: PluginsCommand): Promise<number> {
  return withSettings(root, command, async ({ settings, environment, npm, ...context }) => {
    const [{ createInstalledPlugins, pluginHandlers }, { createGit }, { pluginsCommand }] = await Promise.all(
      [
        import('./installed-plugins.ts'),
        import('../../platform/git/git-client.ts'),
        import('./plugins-command.ts'),
      ],
    )
    const { turnedOffPlugins: turnedOff } = root.userSettings
    const git = createGit({ environment })
    const { dataFolder } = root
    const plugins = createInstalledPlugins({ dataFolder, settings, git, npm, turnedOff })
    return await pluginsCommand(command, { ...context, dispatch: dispatchTo(pluginHandlers(plugins)) })
  })
}
