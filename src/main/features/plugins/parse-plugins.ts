/** Parses `troupe plugins …`. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

export type PluginsArguments =
  | { readonly verb: 'plugins-list'; readonly json: boolean }
  | {
      readonly verb: 'plugins-enable'
      readonly name: string
      readonly digest: string
      readonly json: boolean
    }
  | {
      readonly verb: 'plugins-add' | 'plugins-disable' | 'plugins-remove' | 'plugins-update'
      /** A plugin; for `add`, its source. */
      readonly name: string
      readonly json: boolean
    }

export const PLUGINS_OPTIONS = { json: 'flag' } as const satisfies OptionKinds

const ACTIONS = ['add', 'disable', 'remove', 'update'] as const

export function parsePlugins([action, ...args]: readonly string[]): Result<PluginsArguments> {
  const read = readOptions(args, PLUGINS_OPTIONS)
  if (!read.ok) return read
  const { flag, positionals } = read.value
  const json = flag('json')
  const [name, digest, extra] = positionals
  if (action === 'list' && name === undefined) return ok({ verb: 'plugins-list', json })
  if (action === 'enable')
    return name !== undefined && digest !== undefined && extra === undefined
      ? ok({ verb: 'plugins-enable', name, digest, json })
      : usage(
          'Give the plugin and the digest that troupe plugins list shows: troupe plugins enable NAME DIGEST',
        )
  const known = ACTIONS.find((one) => one === action)
  if (known === undefined || name === undefined || digest !== undefined)
    return usage(
      'Use troupe plugins list, add SOURCE, enable NAME DIGEST, disable NAME, remove NAME or update NAME.',
    )
  return ok({ verb: `plugins-${known}`, name, json })
}
