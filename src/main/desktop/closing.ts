/**
 * The end of the program, and what closing the window means before it: agents that work go on without a
 * window, or are stopped cleanly, within a time, so that each can go on at the next start.
 */
import type { App, BrowserWindow } from 'electron'
import type { Settings } from '../../shared/settings.ts'
import type { Log } from './services.ts'

export interface ClosingOptions {
  readonly app: Pick<App, 'on' | 'quit'>
  readonly log: Log
  /** How many agents are at work at the moment. */
  readonly running: () => number
  readonly whenClosed: () => Settings['whenClosed']
  /** Asks what becomes of so many agents. The window is null where it is hidden. */
  readonly ask: (window: BrowserWindow | null, agents: number) => Promise<'stop' | 'keep-running' | 'cancel'>
  /** Why what agents did can't be saved at the moment; null: all of it is. */
  readonly unsaved: () => string | null
  /** Asks what becomes of it. */
  readonly askUnsaved: (window: BrowserWindow | null, why: string) => Promise<'retry' | 'lose' | 'cancel'>
  /** Tries again to save it. */
  readonly save: () => Promise<void>
  /** Takes the window away, and leaves a way back to it. */
  readonly hide: (window: BrowserWindow) => void
  /** Stops everything and flushes. */
  readonly close: () => Promise<void>
}

export interface Closing {
  /** Closing this window ends the program, or hides it while agents work. */
  guard(window: BrowserWindow): void
  /** Ends the program, after asking if agents are at work. */
  quit(): void
}

/** ms for agents to stop and logs to be flushed: processes that ignore SIGTERM take 2 s. */
const PATIENCE = 8000

export function createClosing(options: ClosingOptions): Closing {
  const { app, log, running } = options
  let phase: 'open' | 'asking' | 'closing' | 'closed' = 'open'
  let window: BrowserWindow | null = null

  const shutDown = async (): Promise<void> => {
    if (phase === 'closing' || phase === 'closed') return
    phase = 'closing'
    window?.hide()
    await withinTime(options.close(), PATIENCE).catch((error: unknown) =>
      log.error('Stopping cleanly failed', error),
    )
    phase = 'closed'
    app.quit()
  }

  /** Nothing that is not saved is lost without a word. @returns whether to end the program */
  const isLossMeant = async (parent: BrowserWindow | null): Promise<boolean> => {
    for (let why = options.unsaved(); why !== null; why = options.unsaved()) {
      const answer = await options.askUnsaved(parent, why)
      if (answer !== 'retry') return answer === 'lose'
      await options.save()
    }
    return true
  }

  const settle = async (usual: Settings['whenClosed']): Promise<'stop' | 'keep-running' | 'cancel'> => {
    const parent = window !== null && !window.isDestroyed() && window.isVisible() ? window : null
    const agents = running()
    const wish = agents === 0 ? 'stop' : usual === 'ask' ? await options.ask(parent, agents) : usual
    if (wish !== 'stop') return wish
    return (await isLossMeant(parent)) ? 'stop' : 'cancel'
  }

  // It may have ended while somebody was asked: by a signal, or since the user logs out.
  const isAsking = (): boolean => phase === 'asking'
  const isOpen = (): boolean => phase === 'open'

  const end = async (usual: Settings['whenClosed']): Promise<void> => {
    if (phase !== 'open') return
    phase = 'asking'
    const wish = await settle(usual).finally(() => {
      if (isAsking()) phase = 'open'
    })
    if (!isOpen()) return
    if (wish === 'stop') await shutDown()
    else if (wish === 'keep-running' && window !== null && !window.isDestroyed()) options.hide(window)
  }
  const begin = (usual: Settings['whenClosed']): void => {
    end(usual).catch((error: unknown) => log.error('The question before closing failed', error))
  }

  // Logging out, a signal or the last window: nobody is there to be asked.
  app.on('before-quit', (event) => {
    if (phase === 'closed') return
    event.preventDefault()
    void shutDown()
  })
  app.on('window-all-closed', () => app.quit())

  return {
    // Who says "quit" means the program: that agents outlive the window is no answer to it.
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

/** Rejects when the work takes longer. */
function withinTime(work: Promise<void>, limit: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${limit} ms`)), limit)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
