/** What counts of one settings file, key by key. */
import { settings } from '../../../shared/settings.ts'
import { fileSettings, isFileSetting } from '../../../shared/settings-files.ts'
import type { SettingsLayer } from '../../../shared/settings-layers.ts'

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

export interface SettingsKeys {
  readonly used: readonly string[]
  /** Sentences. */
  readonly notes: readonly string[]
}

export function settingsKeys({ source, raw }: SettingsLayer): SettingsKeys {
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
