/**
 * The window. It opens before the rest of the program loads, and is shown once it has content. Its page is
 * sandboxed: it can only send commands and receive deltas.
 */
import { rename, writeFile } from 'node:fs/promises'
import { BrowserWindow, MessageChannelMain, nativeImage, nativeTheme, screen } from 'electron'
import { PORT_CHANNEL } from '../../../shared/ipc/window-delta.ts'
import { type DeltaPort, DeltaStream } from '../deltas/delta-stream.ts'
import { CONFINED_PAGE } from '../security/harden.ts'
import { drawIcon } from './app-icon.ts'
import { fixPage, type PageLife } from './page-life.ts'
import {
  fitBounds,
  readBounds,
  SMALLEST,
  type WindowRectangle,
  type WindowSize,
  writeBounds,
} from './window-bounds.ts'

export interface MainWindow {
  readonly window: BrowserWindow
  readonly stream: DeltaStream
  /** The real path of the window's folder, for which its bounds are saved. */
  folder: string | null
}

export interface MainWindowOptions extends PageLife {
  /** The built preload, absolute. */
  readonly preload: string
  readonly boundsFile: string
  /** The folder that the window opens with, if it is known already. */
  readonly folder: string | null
  /** What the window's bounds are saved for; null: its folder. */
  readonly savedFor: string | null
  /** The size of a window without saved bounds, and the smallest; null: those of a whole window. */
  readonly size: { readonly initial: WindowSize; readonly smallest: WindowSize } | null
  /** The bounds of the other windows. */
  readonly occupied: readonly WindowRectangle[]
  /** The size of everything in the page now, in percent. */
  readonly zoom: () => number
}

/** ms after which a window without content is shown anyway. */
const TIMEOUT = 5000
/** Pixels of a side. */
const ICON = 256

export function openMainWindow(options: MainWindowOptions): MainWindow {
  const { url, preload, boundsFile, log } = options
  const smallest = options.size?.smallest ?? SMALLEST
  const { bounds, maximized } = fitBounds(
    screen.getAllDisplays().map((display) => display.workArea),
    readBounds(boundsFile, options.savedFor ?? options.folder, smallest),
    options.occupied,
    options.size?.initial,
  )
  const window = new BrowserWindow({
    ...bounds,
    minWidth: smallest.width,
    minHeight: smallest.height,
    title: 'Troupe',
    show: false,
    // The system's own frame fits every desktop; drag, snap and zoom work.
    autoHideMenuBar: true,
    backgroundColor: backgroundOf(nativeTheme.shouldUseDarkColors),
    webPreferences: {
      preload,
      ...CONFINED_PAGE,
      // Compiled scripts are kept from the first start on, not from the third.
      v8CacheOptions: 'bypassHeatCheck',
      zoomFactor: options.zoom() / 100,
    },
  })
  const stream = new DeltaStream({ now: options.elapsed })
  const main: MainWindow = { window, stream, folder: options.folder }
  showWhenReady(window, maximized)
  saveBoundsOnChange(main, options)
  connectStream(window, stream)
  fixPage(window, options)
  // Chromium keeps a zoom of its own for the page's address, which each navigation applies.
  window.webContents.on('did-navigate', () => zoomPage(main, options.zoom()))
  const setBackground = (): void => window.setBackgroundColor(backgroundOf(nativeTheme.shouldUseDarkColors))
  nativeTheme.on('updated', setBackground)
  window.on('closed', () => {
    nativeTheme.off('updated', setBackground)
    stream.reset()
  })
  window
    .loadURL(url)
    .catch((error: unknown) => log.error(`The window’s page could not be loaded: ${url}`, error))
  return main
}

/** Shows the page at this size, in percent. */
export function zoomPage({ window }: MainWindow, zoom: number): void {
  if (!window.isDestroyed()) window.webContents.setZoomFactor(zoom / 100)
}

/** Brings the window to the front. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

function showWhenReady(window: BrowserWindow, maximized: boolean): void {
  const show = (): void => {
    clearTimeout(timer)
    if (window.isDestroyed() || window.isVisible()) return
    if (maximized) window.maximize()
    window.show()
    // The icon can wait until the window is visible.
    setImmediate(() => {
      if (!window.isDestroyed() && process.platform !== 'darwin') {
        window.setIcon(nativeImage.createFromBitmap(drawIcon(ICON), { width: ICON, height: ICON }))
      }
    })
  }
  const timer = setTimeout(show, TIMEOUT)
  window.once('ready-to-show', show)
  window.once('closed', () => clearTimeout(timer))
}

function saveBoundsOnChange(main: MainWindow, { boundsFile, savedFor }: MainWindowOptions): void {
  const { window } = main
  let timer: NodeJS.Timeout | undefined
  const remember = (): void => {
    clearTimeout(timer)
    const location = { bounds: window.getNormalBounds(), maximized: window.isMaximized() }
    writeBounds(boundsFile, location, savedFor ?? main.folder)
  }
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(remember, 500)
  }
  window.on('resize', soon)
  window.on('move', soon)
  window.on('close', remember)
  window.on('closed', () => clearTimeout(timer))
}

/** Connects a port for each loaded page. Deltas for one page never reach the next. */
function connectStream(window: BrowserWindow, stream: DeltaStream): void {
  const { webContents } = window
  webContents.on('did-start-navigation', (details) => {
    if (details.isMainFrame && !details.isSameDocument) stream.reset()
  })
  webContents.on('render-process-gone', () => stream.reset())
  webContents.on('did-finish-load', () => {
    const { port1, port2 } = new MessageChannelMain()
    webContents.postMessage(PORT_CHANNEL, null, [port2])
    stream.attach(port1 satisfies DeltaPort)
  })
  const updateVisibility = (): void => stream.setVisible(window.isVisible() && !window.isMinimized())
  for (const event of ['show', 'hide', 'minimize', 'restore'] as const)
    window.on(event as 'show', updateVisibility)
}

/** `--bg-0` of the window's tokens. */
const backgrounds = { dark: '#0b0c10', light: '#f6f7f9' } as const

function backgroundOf(isDark: boolean): string {
  return isDark ? backgrounds.dark : backgrounds.light
}

/** ms from screenshot to screenshot. */
const PERIOD = 2000

/**
 * Saves a screenshot of the window to a file again and again, for a machine without a display. Ends with the window. The
 * file is replaced as a whole, so readers never see half a picture.
 */
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
