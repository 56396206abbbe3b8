/** Keeps a window on its page: one that crashed or navigated away is loaded again. */
import type { BrowserWindow } from 'electron'
import type { Log } from '../log.ts'

export interface PageLife {
  readonly url: string
  /** Whether a URL is the window's page. */
  readonly isPage: (url: string) => boolean
  readonly log: Log
  /** ms, for durations. */
  readonly elapsed: () => number
  /** Called if the page keeps crashing. @returns whether to reload it */
  readonly askToReload: (window: BrowserWindow | null) => Promise<boolean>
  readonly quit: () => void
}

/** Reloads a page that crashed or navigated away; asks the user if it keeps crashing. */
export function fixPage(window: BrowserWindow, options: PageLife): void {
  const { url: home, isPage, log } = options
  const crashes = new CrashCount()
  const goHome = (from: string): void => {
    log.error(`The window’s page navigated to ${from.slice(0, 200)} and was brought back`)
    window.loadURL(home).catch((error: unknown) => log.error('Reloading the window’s page failed', error))
  }
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    log.error(`The window’s page crashed: ${reason} (${exitCode})`)
    if (window.isDestroyed()) return
    if (crashes.mayReload(options.elapsed())) return window.webContents.reload()
    void options.askToReload(window.isVisible() ? window : null).then((again) => {
      if (!again) return options.quit()
      crashes.forget()
      if (!window.isDestroyed()) window.webContents.reload()
    })
  })
  window.webContents.on('did-fail-load', (_event, ...details) => {
    const [code, description, url, isMainFrame] = details
    if (!isMainFrame) return
    if (!isPage(url)) return goHome(url)
    log.error(`The window’s page could not be loaded: ${url} ${description} (${code})`)
  })
  // URLs such as about:blank are navigated to without a cancelable event.
  window.webContents.on('did-navigate', (_event, url) => {
    if (!isPage(url)) goHome(url)
  })
  window.webContents.on('preload-error', (_event, path, error) =>
    log.error(`The preload failed: ${path}`, error),
  )
}

const MOST = 3
/** ms */
const WITHIN = 60_000

/** Limits automatic reloads after crashes: three in a minute. */
export class CrashCount {
  private crashes: number[] = []

  /** Records a crash at `now` (monotonic ms). @returns whether the page may reload */
  mayReload(now: number): boolean {
    this.crashes = this.crashes.filter((at) => now - at < WITHIN)
    if (this.crashes.length >= MOST) return false
    this.crashes.push(now)
    return true
  }

  /** Resets the count. */
  forget(): void {
    this.crashes = []
  }
}
