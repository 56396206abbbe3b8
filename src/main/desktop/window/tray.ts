/**
 * The program without its window: agents continue, and a tray icon opens the window again. On a desktop
 * without a tray, starting the program again opens the window.
 */
import { app, type BrowserWindow, Menu, type NativeImage, nativeImage, Tray } from 'electron'
import type { Log } from '../services.ts'
import { drawIcon } from './app-icon.ts'
import { focusWindow } from './main-window.ts'
import { trayMenu } from './tray-menu.ts'

export interface HiddenWindow {
  hide(window: BrowserWindow): void
  /** Sets the number of running agents. */
  setRunning(agents: number): void
}

export interface HiddenWindowOptions {
  readonly quit: () => void
  readonly log: Log
}

/** Pixels of a side. */
const ICON = 22

export function createHiddenWindow({ quit, log }: HiddenWindowOptions): HiddenWindow {
  let tray: Tray | null = null
  let agents = 0

  const draw = (window: BrowserWindow): void => {
    if (tray === null) return
    const { tip, items } = trayMenu({ agents, open: () => focusWindow(window), quit })
    tray.setToolTip(tip)
    tray.setContextMenu(Menu.buildFromTemplate(items))
  }
  let update = (): void => {}

  return {
    hide(window) {
      update = () => draw(window)
      window.once('show', () => {
        tray?.destroy()
        tray = null
      })
      window.hide()
      if (tray !== null) return
      try {
        tray = new Tray(icon())
        tray.on('click', () => focusWindow(window))
        update()
      } catch (error) {
        log.error('This desktop has no tray. Starting Troupe again opens the window', error)
      }
    },
    setRunning(count) {
      if (count === agents) return
      agents = count
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
