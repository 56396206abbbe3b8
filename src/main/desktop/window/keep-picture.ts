/** Keeps a fresh picture of the window in a file: what a person sees who runs this without a display. */
import { rename, writeFile } from 'node:fs/promises'
import type { BrowserWindow } from 'electron'

/** ms from picture to picture. */
const PERIOD = 2000

/** Ends with the window. A reader of the file always finds a whole picture. */
export function keepPicture(window: BrowserWindow, file: string): void {
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
