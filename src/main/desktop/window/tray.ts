/**
 * The program without a window: agents continue, and a tray icon opens the hidden windows again. On a desktop
 * without a tray, starting the program again opens the window.
 */
import { app, type BrowserWindow, Menu, type NativeImage, nativeImage, Tray } from 'electron'
import type { Log } from '../log.ts'
import { drawIcon } from './app-icon.ts'
import { focusWindow } from './main-window.ts'
import { trayMenu } from './menu.ts'

interface HiddenWindow {
  hide(window: BrowserWindow): void
  /** Sets the numbers of running agents and of pending permission requests, in all folders. */
  setCount(count: { readonly agents: number; readonly requests: number }): void
}

interface HiddenWindowOptions {
  readonly quit: () => void
  readonly log: Log
}

/** Pixels of a side. */
const ICON = 22

export function createHiddenWindow({ quit, log }: HiddenWindowOptions): HiddenWindow {
  let tray: Tray | null = null
  let count = { agents: 0, requests: 0 }
  const hidden = new Set<BrowserWindow>()

  const open = (): void => {
    for (const window of [...hidden]) if (!window.isDestroyed()) focusWindow(window)
  }
  const update = (): void => {
    if (tray === null) return
    const { tip, items } = trayMenu({ ...count, open, quit })
    tray.setToolTip(tip)
    tray.setContextMenu(Menu.buildFromTemplate(items))
  }
  const forget = (window: BrowserWindow): void => {
    if (!hidden.delete(window) || hidden.size > 0) return
    tray?.destroy()
    tray = null
  }

  return {
    hide(window) {
      hidden.add(window)
      window.once('show', () => forget(window))
      window.once('closed', () => forget(window))
      window.hide()
      if (tray !== null) return
      try {
        tray = new Tray(icon())
        tray.on('click', open)
        update()
      } catch (error) {
        log.error('This desktop has no tray. Starting Troupe again opens the window', error)
      }
    },
    setCount(now) {
      if (now.agents === count.agents && now.requests === count.requests) return
      count = now
      update()
    },
  }
}

function icon(): NativeImage {
  const scale = app.isReady() && process.platform === 'darwin' ? 1 : 2
  return nativeImage.createFromBitmap(drawIcon(ICON * scale), {
    width: ICON * scale,
    height: ICON * scale,
    scaleFactor: scale,
  })
}
