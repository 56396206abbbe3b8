/** Saves a screenshot of the window to a file again and again, for a machine without a display. */
import { rename, writeFile } from 'node:fs/promises'
import type { BrowserWindow } from 'electron'

/** ms from screenshot to screenshot. */
const PERIOD = 2000

/** Ends with the window. The file is replaced as a whole, so readers never see half a picture. */
export function saveScreenshot(window: BrowserWindow, file: string): void {
  let busy = false
  const take = async (): Promise<void> => {
    if (busy || window.isDestroyed()) return
    busy = true
    try {
      const picture = await window.webContents.capturePage()
      if (picture.isEmpty()) return
      await writeFile(`${file}.tmp`, picture.toPNG())
      await rename(`${file}.tmp`, file)
    } catch {
      // The next one may succeed.
    } finally {
      busy = false
    }
  }
  const timer = setInterval(() => void take(), PERIOD)
  window.once('ready-to-show', () => void take())
  window.once('closed', () => clearInterval(timer))
}
