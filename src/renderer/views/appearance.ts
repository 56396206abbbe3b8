/** Theme and text size, changed by commands. */
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import { showFailure } from '../stores/overlay-store.ts'
import { useSession } from '../stores/session-store.ts'
import { changeSettings } from '../stores/settings-store.ts'

/** Text sizes that the settings allow, in percent. */
const SMALLEST = 80
const LARGEST = 150

/** From the theme on the screen to the other one, including a theme that the system chose. */
export function toggleTheme(): void {
  const { theme } = useSession.getState().settings
  const dark =
    theme === 'dark' || (theme === 'system' && window.matchMedia('(prefers-color-scheme: dark)').matches)
  setTheme(dark ? 'light' : 'dark')
}

export function setTheme(theme: Settings['theme']): void {
  void change({ theme })
}

/** The size that was sent and not confirmed yet: quick presses of the key build on it. */
let sentSize: number | null = null

/** `percent` may be negative. */
export function resizeText(percent: number): void {
  const textSize = sentSize ?? useSession.getState().settings.textSize
  const next = Math.max(SMALLEST, Math.min(LARGEST, textSize + percent))
  if (next !== textSize) setTextSize(next)
}

export function resetText(): void {
  setTextSize(100)
}

function setTextSize(textSize: number): void {
  sentSize = textSize
  void change({ textSize }).then(() => {
    if (sentSize === textSize) sentSize = null
  })
}

async function change(patch: SettingsPatch): Promise<void> {
  const answer = await changeSettings(patch)
  if (!answer.ok) showFailure(answer.failure)
}
