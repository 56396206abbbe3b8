/** `--bg-0` of the window's tokens. */
const backgrounds = { dark: '#0b0c10', light: '#f6f7f9' } as const

export function backgroundOf(isDark: boolean): string {
  return isDark ? backgrounds.dark : backgrounds.light
}
