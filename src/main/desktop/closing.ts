/**
 * Quitting, and the meaning of closing the window: running agents continue without a window, or stop cleanly
 * within a time limit, so that each can resume after the next start.
 */
import type { App, BrowserWindow } from 'electron'
import type { Settings } from '../../shared/settings.ts'
import type { Log } from './services.ts'

export interface ClosingOptions {
  readonly app: Pick<App, 'on' | 'quit'>
  readonly log: Log
  /** The number of running agents. */
  readonly running: () => number
  readonly whenClosed: () => Settings['whenClosed']
  /** Asks what to do with the running agents. `window` is null while it is hidden. */
  readonly ask: (window: BrowserWindow | null, agents: number) => Promise<'stop' | 'keep-running' | 'cancel'>
  /** Why the agents' work cannot be saved now; null: everything is saved. */
  readonly unsaved: () => string | null
  /** Asks what to do with unsaved work. */
  readonly askUnsaved: (window: BrowserWindow | null, why: string) => Promise<'retry' | 'lose' | 'cancel'>
  /** Retries the failed writes. */
  readonly save: () => Promise<void>
  /** Hides the window and leaves a way back to it. */
  readonly hide: (window: BrowserWindow) => void
  /** Stops everything and flushes. */
  readonly close: () => Promise<void>
}

export interface Closing {
  /** Closing this window quits the program, or hides the window while agents run. */
  guard(window: BrowserWindow): void
  /** Quits the program, after a question if agents are running. */
  quit(): void
}

/** ms for agents to stop and logs to be flushed. Processes that ignore SIGTERM take 2 s. */
const TIMEOUT = 8000

export function createClosing(options: ClosingOptions): Closing {
  const { app, log, running } = options
  let phase: 'open' | 'asking' | 'closing' | 'closed' = 'open'
  let window: BrowserWindow | null = null

  const shutDown = async (): Promise<void> => {
    if (phase === 'closing' || phase === 'closed') return
    phase = 'closing'
    window?.hide()
    await withinTime(options.close(), TIMEOUT).catch((error: unknown) =>
      log.error('Stopping cleanly failed', error),
    )
    phase = 'closed'
    app.quit()
  }

  /** Asks before unsaved work is lost. @returns whether to quit */
  const confirmLoss = async (parent: BrowserWindow | null): Promise<boolean> => {
    for (let why = options.unsaved(); why !== null; why = options.unsaved()) {
      const answer = await options.askUnsaved(parent, why)
      if (answer !== 'retry') return answer === 'lose'
      await options.save()
    }
    return true
  }

  const settle = async (setting: Settings['whenClosed']): Promise<'stop' | 'keep-running' | 'cancel'> => {
    const parent = window !== null && !window.isDestroyed() && window.isVisible() ? window : null
    const agents = running()
    const wish = agents === 0 ? 'stop' : setting === 'ask' ? await options.ask(parent, agents) : setting
    if (wish !== 'stop') return wish
    return (await confirmLoss(parent)) ? 'stop' : 'cancel'
  }

  // A signal or a logout may have quit the program during the question.
  const isAsking = (): boolean => phase === 'asking'
  const isOpen = (): boolean => phase === 'open'

  const end = async (setting: Settings['whenClosed']): Promise<void> => {
    if (phase !== 'open') return
    phase = 'asking'
    const wish = await settle(setting).finally(() => {
      if (isAsking()) phase = 'open'
    })
    if (!isOpen()) return
    if (wish === 'stop') await shutDown()
    else if (wish === 'keep-running' && window !== null && !window.isDestroyed()) options.hide(window)
  }
  const begin = (setting: Settings['whenClosed']): void => {
    end(setting).catch((error: unknown) => log.error('The question before closing failed', error))
  }

  // Logout, a signal or the last window: there is no user to ask.
  app.on('before-quit', (event) => {
    if (phase === 'closed') return
    event.preventDefault()
    void shutDown()
  })
  app.on('window-all-closed', () => app.quit())

  return {
    // Quitting means the whole program, so the setting to keep agents running does not answer the question.
    quit: () => begin(options.whenClosed() === 'stop' ? 'stop' : 'ask'),
    guard(guarded) {
      window = guarded
      guarded.on('close', (event) => {
        if (phase === 'closed') return
        event.preventDefault()
        begin(options.whenClosed())
      })
      guarded.on('closed', () => {
        if (window === guarded) window = null
      })
    },
  }
}

/** Rejects if the work takes longer than `limit` ms. */
function withinTime(work: Promise<void>, limit: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${limit} ms`)), limit)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
