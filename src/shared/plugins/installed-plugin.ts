/** A plugin as the user sees it before it is enabled. */

export interface InstalledPlugin {
  readonly name: string
  readonly description: string
  readonly path: string
  /** Where it was fetched from; null: a folder of the user. */
  readonly source: { readonly url: string; readonly plugin: string | null; readonly commit: string } | null
  /**
   * `changed`: its content is not what the user approved, so it is off. `unapproved`: enabled by hand, so only its
   * agents and skills are used. `turned-off`: by `enabledPlugins`.
   */
  readonly state: 'enabled' | 'disabled' | 'changed' | 'unapproved' | 'turned-off'
  /** Of the content now; null if it can't be read. */
  readonly digest: string | null
  readonly parts: readonly PluginContent[]
  readonly problems: readonly string[]
  /** What it has and Troupe does not use, as sentences. */
  readonly notUsed: readonly string[]
}

/** The version of a fetched plugin, to show. */
export const versionText = (commit: string): string =>
  /^[0-9a-f]{40}/.test(commit) ? commit.slice(0, 12) : commit

export interface PluginContent {
  readonly kind: 'agent' | 'skill' | 'command' | 'hook' | 'mcp-server'
  readonly name: string
  /** What would run; null: nothing runs automatically. */
  readonly runs: string | null
}
