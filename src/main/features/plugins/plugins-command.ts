/** `troupe plugins …` */

import type { Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type InstalledPlugin, versionText } from '../../../shared/plugins/installed-plugin.ts'
import { EXIT, failed, jsonLine, type Printing } from '../../platform/command-line/terminal.ts'

export interface PluginsContext extends Printing {
  readonly plugins: {
    list(): Promise<readonly InstalledPlugin[]>
    add(source: string): Promise<Result<InstalledPlugin>>
    enable(name: string, digest: string): Promise<Result<void>>
    disable(name: string): Promise<Result<void>>
    remove(name: string): Promise<Result<void>>
    update(name: string): Promise<Result<InstalledPlugin>>
  }
}

/** The values of `troupe plugins …`. */
export type PluginsCommand = { readonly json: boolean } & (
  | { readonly verb: 'plugins-list' }
  /** `name`: its source. */
  | { readonly verb: 'plugins-add' | 'plugins-update'; readonly name: string }
  | Change
)

type Change =
  | { readonly verb: 'plugins-enable'; readonly name: string; readonly digest: string }
  | { readonly verb: 'plugins-disable' | 'plugins-remove'; readonly name: string }

/** @returns the exit code */
export async function pluginsCommand(command: PluginsCommand, context: PluginsContext): Promise<number> {
  const { plugins, output } = context
  const show = (plugin: InstalledPlugin) =>
    output.write(command.json ? jsonLine({ type: 'plugin', ...plugin }) : textOf(plugin))
  switch (command.verb) {
    case 'plugins-list': {
      const all = await plugins.list()
      for (const plugin of all) show(plugin)
      if (all.length === 0 && !command.json)
        output.write('No plugins. Add one with: troupe plugins add SOURCE\n')
      return EXIT.done
    }
    case 'plugins-add':
    case 'plugins-update': {
      const { name } = command
      const done = await (command.verb === 'plugins-add' ? plugins.add(name) : plugins.update(name))
      if (!done.ok) return failed(context, done.failure.message)
      show(done.value)
      return EXIT.done
    }
    default: {
      const done = await change(command, plugins)
      return done.ok ? EXIT.done : failed(context, done.failure.message)
    }
  }
}

function change(command: Change, plugins: PluginsContext['plugins']): Promise<Result<void>> {
  if (command.verb === 'plugins-enable') return plugins.enable(command.name, command.digest)
  return command.verb === 'plugins-remove' ? plugins.remove(command.name) : plugins.disable(command.name)
}

const STATES: Readonly<Record<InstalledPlugin['state'], string>> = {
  enabled: 'enabled',
  disabled: 'off',
  changed: 'changed since it was enabled, so it is off',
  unapproved: 'enabled without a digest: only its agents and skills are used',
  'turned-off': 'turned off by enabledPlugins in your settings',
}

function textOf({
  name,
  description,
  path,
  source,
  state,
  digest,
  parts,
  problems,
  notUsed,
}: InstalledPlugin): string {
  const origin =
    source === null
      ? path
      : `${source.url}${source.plugin === null ? '' : `#${source.plugin}`} at ${versionText(source.commit)}`
  const lines = [
    `${name}: ${STATES[state]}`,
    ...(description === '' ? [] : [`  ${description}`]),
    `  from ${origin}`,
    ...parts.map(({ kind, name: part, runs }) => `  ${kind} ${part}${runs === null ? '' : `: runs ${runs}`}`),
    ...problems.map((problem) => `  problem: ${problem}`),
    ...notUsed.map((sentence) => `  ${sentence}`),
    ...(digest === null || state === 'enabled' || state === 'turned-off'
      ? []
      : [`  to enable it: troupe plugins enable ${name} ${digest}`]),
  ]
  return lines.map((line) => `${makeVisible(line)}\n`).join('')
}
