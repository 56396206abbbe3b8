/** Where each setting is set: the file that decides it, and its line. */
import type { SettingOrigin } from '../../../shared/settings/settings-layers.ts'
import { jsonPlaces, parseJson } from '../../platform/json/json-text.ts'
import { readSettingsFile } from './settings-file.ts'
import type { SettingsSourceFile } from './user-settings.ts'

interface OriginSources {
  /** The program's own file. */
  readonly own: string
  readonly below: SettingsSourceFile
  readonly above: SettingsSourceFile
}

/** By the name of a setting: `maxAgents`, and `sandbox.enabled` for a part. Settings with their defaults are missing. */
export async function settingOrigins(
  sources: OriginSources,
): Promise<Readonly<Record<string, SettingOrigin>>> {
  const { own, below, above } = sources
  const ownNames = await linesOf(own)
  const ownKeys = [...ownNames.keys()].filter((name) => !name.includes('.'))
  const deciding = new Map<string, { readonly file: string; readonly kind: SettingOrigin['kind'] }>()
  for (const [key, file] of Object.entries(below.files)) deciding.set(key, { file, kind: 'default' })
  for (const key of ownKeys) deciding.set(key, { file: own, kind: 'own' })
  for (const [key, file] of Object.entries(above.files)) deciding.set(key, { file, kind: 'overrides' })

  const lines = new Map([[own, ownNames]])
  for (const { file } of deciding.values()) if (!lines.has(file)) lines.set(file, await linesOf(file))
  const found: Record<string, SettingOrigin> = {}
  for (const [key, { file, kind }] of deciding) {
    const names = lines.get(file) ?? new Map<string, number>()
    const shared = kind === 'own' ? undefined : SHARED_NAMES[key]
    found[key] = { file, kind, line: names.get(key) ?? names.get(shared ?? key) ?? null }
    for (const [name, line] of names) if (name.startsWith(`${key}.`)) found[name] = { file, kind, line }
  }
  return found
}

/** Settings with another name in the files that other programs share. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  permissionMode: 'permissions.defaultMode',
  effort: 'effortLevel',
  thinking: 'alwaysThinkingEnabled',
}

/** Members of a setting's value that have a line of their own. */
const DEEPEST = 3

/** The line of each member of a settings file, by its keys with dots between. */
async function linesOf(file: string): Promise<ReadonlyMap<string, number>> {
  const read = await readSettingsFile(file)
  const lines = new Map<string, number>()
  if (read.kind !== 'whole') return lines
  for (const [path, { line }] of jsonPlaces(read.text)) {
    const keys = parseJson(path)
    if (!keys.ok || !Array.isArray(keys.value)) continue
    const isNamed = keys.value.every((key) => typeof key === 'string')
    if (isNamed && keys.value.length > 0 && keys.value.length <= DEEPEST)
      lines.set(keys.value.join('.'), line)
  }
  return lines
}
