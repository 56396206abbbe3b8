/**
 * Settings as people have them in several files. Each source is a layer; the first layer in a list is the strongest.
 * What loosens safety, moves the API's address or starts a program counts only from a trusted source.
 */

/**
 * From the strongest to the weakest. `own`: `settings.json` in the data folder, which Troupe writes; `user`:
 * `~/.claude/settings.json`, which other programs share.
 */
export const settingsSources = ['managed', 'command-line', 'local', 'project', 'own', 'user'] as const
export type SettingsSource = (typeof settingsSources)[number]

/** One source's settings as read, not validated. */
export interface SettingsLayer {
  readonly source: SettingsSource
  /** Absolute; null: the command line. */
  readonly file: string | null
  readonly raw: Readonly<Record<string, unknown>>
  /** The file's text, for line numbers. */
  readonly text?: string
}

export interface SettingsLayers {
  /** The strongest first. Layers of the project are left out while the folder is not trusted. */
  readonly layers: readonly SettingsLayer[]
  /** Files that could not be read, as sentences for the user. */
  readonly problems: readonly BrokenLayer[]
}

export interface BrokenLayer {
  readonly source: SettingsSource
  readonly file: string
  readonly message: string
  /** Null: not even the text could be read. */
  readonly text: string | null
}

/** Whether a repository can't bring these settings, so that they may loosen safety. */
export function isUsersOwn(source: SettingsSource): boolean {
  return source === 'managed' || source === 'command-line' || source === 'user' || source === 'own'
}

/** A file besides the program's own that decides a setting. */
export interface SettingOrigin {
  readonly file: string
  /** `overrides`: it counts before the program's own file. `default`: only because that file has no value. */
  readonly kind: 'overrides' | 'default'
}
