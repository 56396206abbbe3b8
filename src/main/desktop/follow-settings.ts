/** Carries a change of the settings to the parts of the desktop that depend on them. */
import type { Settings } from '../../shared/settings/settings.ts'
import type { SettingsPort } from './services.ts'

interface FollowSettingsOptions {
  readonly settings: Pick<SettingsPort, 'current' | 'watch'>
  /** Every change. */
  readonly onChange: (settings: Settings) => void
  readonly onTrustChange: () => void
  readonly onRecentFoldersChange: () => void
  /** The access to a model or the API's address changed. */
  readonly onAccessChange: () => void
  /** All current problems of the settings files, for display. */
  readonly onProblems: (messages: readonly string[]) => void
}

/** @returns a function that ends the subscription */
export function followSettings(options: FollowSettingsOptions): () => void {
  let previous: Settings = options.settings.current
  return options.settings.watch((current, problems) => {
    options.onProblems(problems)
    const before = previous
    previous = current
    options.onChange(current)
    if (differs(before.trustedFolders, current.trustedFolders)) options.onTrustChange()
    if (differs(before.recentFolders, current.recentFolders)) options.onRecentFoldersChange()
    if (differs([before.access, before.baseUrl], [current.access, current.baseUrl])) options.onAccessChange()
  })
}

const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b)
