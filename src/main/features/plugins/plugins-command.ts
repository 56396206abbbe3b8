/** `troupe plugins …` */

import type { Dispatch, NameOf } from '../../../shared/ipc/handlers.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type InstalledPlugin, versionText } from '../../../shared/plugins/installed-plugin.ts'
import { EXIT, failed, jsonLine, type Printing } from '../../platform/command-line/terminal.ts'

interface PluginsContext extends Printing {
  readonly dispatch: Dispatch<NameOf<'plugins'>>
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
  const { dispatch, output } = context
  const done = await dispatched(command, dispatch)
  if (!done.ok) return failed(context, done.failure.message)
  const shown = shownOf(command, done.value)
  for (const plugin of shown)
    output.write(command.json ? jsonLine({ type: 'plugin', ...plugin }) : textOf(plugin))
  if (command.verb === 'plugins-list' && shown.length === 0 && !command.json)
    output.write('No plugins. Add one with: troupe plugins add SOURCE\n')
  return EXIT.done
}

function dispatched(
  command: PluginsCommand,
  dispatch: PluginsContext['dispatch'],
): Promise<Result<readonly InstalledPlugin[]>> {
  switch (command.verb) {
    case 'plugins-list':
      return dispatch({ type: 'plugins.list' })
    case 'plugins-add':
      return dispatch({ type: 'plugins.add', source: command.name })
    case 'plugins-enable':
      return dispatch({ type: 'plugins.enable', name: command.name, digest: command.digest })
    case 'plugins-disable':
      return dispatch({ type: 'plugins.disable', name: command.name })
    case 'plugins-remove':
      return dispatch({ type: 'plugins.remove', name: command.name })
    case 'plugins-update':
      return dispatch({ type: 'plugins.update', name: command.name })
  }
}

/** What is printed of all plugins: a new one comes last. */
function shownOf(command: PluginsCommand, all: readonly InstalledPlugin[]): readonly InstalledPlugin[] {
  switch (command.verb) {
    case 'plugins-list':
      return all
    case 'plugins-add':
      return all.slice(-1)
    case 'plugins-update':
      return all.filter(({ name, path }) => name === command.name || path === command.name)
    case 'plugins-enable':
    case 'plugins-disable':
    case 'plugins-remove':
      return []
  }
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
