/** Settings for tests of other things: commands run without a sandbox, as on a machine that has none. */
import { defaultSettings, type Settings } from '../../shared/settings/settings.ts'

export const withoutSandbox: Pick<Settings, 'sandbox'> = {
  sandbox: { ...defaultSettings.sandbox, enabled: false },
}
