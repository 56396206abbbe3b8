/** What counts of the settings files, key by key. */
import { join } from 'node:path'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { sentence } from '../../../shared/kernel/result.ts'
import { settings } from '../../../shared/settings/settings.ts'
import { fileSettings, isFileSetting } from '../../../shared/settings/settings-files.ts'
import type { SettingsLayer, SettingsSource } from '../../../shared/settings/settings-layers.ts'
import type { SetupItem } from '../../../shared/setup/setup.ts'
import { exists } from '../../platform/system/exists.ts'
import { managedSettingsFiles } from '../settings/managed-settings.ts'
import { readSettingsFile } from '../settings/settings-file.ts'
import {
  FOLDER_UNTRUSTED,
  type ItemFindings,
  itemOf,
  notUsed,
  type SetupParts,
  shownSetupPath,
  stateFor,
} from './setup-item.ts'

/** Where the items of a source stand. */
export const GROUP_OF_SOURCE: Readonly<Record<SettingsSource, SetupItem['group']>> = {
  managed: 'troupe',
  'command-line': 'troupe',
  own: 'troupe',
  user: 'user',
  project: 'project',
  local: 'project',
}

/** The settings files of all layers that exist, key by key. */
export async function settingsItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, dataFolder, layered, isTrusted, managed = managedSettingsFiles(process.platform) } = parts
  const trusted = isTrusted(folder)
  const { layers } = await layered.layers.read(folder, { trusted })
  const permissions = await layered.permissions(folder)
  const files: readonly (readonly [SettingsSource, string])[] = [
    ...managed.map((file) => ['managed', file] as const),
    ['user', join(home, '.claude', 'settings.json')],
    ['own', join(dataFolder, 'settings.json')],
    ['project', join(folder, '.claude', 'settings.json')],
    ['local', join(folder, '.claude', 'settings.local.json')],
  ]
  const items = await Promise.all(
    files.map(async ([source, file]): Promise<readonly SetupItem[]> => {
      if (folder === home && (source === 'project' || source === 'local')) return []
      if (!(await exists(file))) return []
      const place = {
        group: GROUP_OF_SOURCE[source],
        what: source === 'managed' ? 'Administrator' : 'Settings',
        file,
      }
      const item = (rest: ItemFindings) => [itemOf(place, rest, { folder, home })]
      if (GROUP_OF_SOURCE[source] === 'project' && !trusted) return item(notUsed(FOLDER_UNTRUSTED))
      const layer = layers.find((one) => one.file === file)
      if (layer === undefined) {
        const read = await readSettingsFile(file)
        const because =
          read.kind === 'broken' ? `It can’t be read: ${sentence(read.reason)}` : 'It can’t be read.'
        return item(notUsed(because))
      }
      const { used, notes } = settingsKeys(layer)
      const path = shownSetupPath(file, folder, home)
      const ofRules = permissions.problems.filter(
        (one) => (one.startsWith(file) || one.startsWith(path)) && !/ is (ignored|unknown)/.test(one),
      )
      const ignored = notes.map((note) => /^"([^"]*)"/.exec(note)?.[1] ?? '')
      const all = [...notes, ...ofRules]
      const sentences = [
        `${used.length} of ${countOf(used.length + notes.length, 'key')}`,
        ...(ignored.length === 0 ? [] : [`No effect: ${ignored.join(', ')}`]),
        ...(ofRules.length === 0
          ? []
          : [`${countOf(ofRules.length, 'entry', 'entries')} of the rules not used`]),
      ]
      return item({ state: stateFor(used.length, all), details: sentences.join('. '), notes: all })
    }),
  )
  return items.flat()
}

/** Keys of other programs that people have, with what is so in Troupe. */
const REASONS: Readonly<Record<string, string>> = {
  cleanupPeriodDays: 'Troupe deletes no conversations by itself',
  plansDirectory: 'a plan is kept in its conversation',
  spinnerTipsEnabled: 'Troupe shows no tips',
  forceLoginMethod: 'Troupe has logins of its own',
  forceLoginOrgUUID: 'Troupe has logins of its own',
  extraKnownMarketplaces: 'add plugins with "troupe plugins add"',
  strictKnownMarketplaces: 'add plugins with "troupe plugins add"',
  autoUpdatesChannel: 'Troupe does not update itself',
  awsAuthRefresh: 'Troupe speaks with the Messages API only',
  awsCredentialExport: 'Troupe speaks with the Messages API only',
  otelHeadersHelper: 'Troupe sends no telemetry',
  fileSuggestion: 'Troupe suggests files by itself',
}
/** Keys that a layer has beside those of `fileSettings`. */
const ALSO: Partial<Record<SettingsLayer['source'], readonly string[]>> = {
  managed: ['allowManagedHooksOnly', 'permissionMode', ...Object.keys(settings.shape)],
  user: ['providers', '$schema'],
  own: Object.keys(settings.shape),
}

interface SettingsKeys {
  readonly used: readonly string[]
  /** Sentences. */
  readonly notes: readonly string[]
}

function settingsKeys({ source, raw }: SettingsLayer): SettingsKeys {
  const used: string[] = []
  const notes: string[] = []
  for (const key of Object.keys(raw)) {
    if (key === '$schema') continue
    const counts = isFileSetting(key)
      ? (fileSettings[key].files as readonly string[]).includes(source)
      : (ALSO[source] ?? []).includes(key)
    if (counts) used.push(key)
    else notes.push(`"${key}" has no effect: ${whyNot(key)}.`)
  }
  return { used, notes }
}

function whyNot(key: string): string {
  const reason = Object.hasOwn(REASONS, key) ? REASONS[key] : undefined
  if (reason !== undefined) return reason
  if (isFileSetting(key)) return 'it counts only in your own settings, which a repository can’t bring'
  return Object.hasOwn(settings.shape, key)
    ? "it counts only in Troupe's own settings file"
    : 'Troupe does not know it'
}
