/** The theme, known before the first paint, so that the window never flashes in the wrong color. */
import { readFileSync } from 'node:fs'
import type { Settings } from '../../../shared/settings.ts'

type Theme = Settings['theme']

/** `--bg-0` of the window's tokens. */
const backgrounds = { dark: '#0b0c10', light: '#f6f7f9' } as const

export function backgroundOf(isDark: boolean): string {
  return isDark ? backgrounds.dark : backgrounds.light
}

/** Reads the theme alone from the settings file: the full settings load later. */
export function readTheme(settingsFile: string): Theme {
  try {
    const { theme } = JSON.parse(readFileSync(settingsFile, 'utf8')) as { theme?: unknown }
    return theme === 'dark' || theme === 'light' ? theme : 'system'
  } catch {
    return 'system'
  }
}
