/**
 * Settings as people have them in several files. Each source is a layer; the first layer in a list is the strongest.
 * What loosens safety, moves the API's address or starts a program counts only from a trusted source.
 */

import type { Settings } from './settings.ts'

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

/** The file that decides a setting. */
export interface SettingOrigin {
  readonly file: string
  /** Counted from 1; null: unknown, because the file can't be read. */
  readonly line: number | null
  /**
   * `own`: the program's own file. `overrides`: an administrator's, which counts before it. `default`: another file, only
   * because the own one has no value.
   */
  readonly kind: 'own' | 'overrides' | 'default'
}

/** Settings that affect safety or the key's destination have their own commands, with their own checks. */
export const protectedSettings = [
  'access',
  'baseUrl',
  'providers',
  'trustedFolders',
  'bypassFolders',
  'plugins',
  'updateUrl',
  'updateKey',
] as const satisfies readonly (keyof Settings)[]

/** Whether a setting, named `plugins` or `providers.lab`, can be changed only by a command of its own. */
export function isProtectedSetting(name: string): boolean {
  return protectedSettings.some((key) => key === name.split('.')[0])
}
