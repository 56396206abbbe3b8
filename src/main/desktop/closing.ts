/**
 * The end of the program: who closes the window while agents work is asked; then every agent is stopped
 * cleanly, within a time, so that each can go on at the next start.
 */
import type { App, BrowserWindow } from 'electron'
import type { Log } from './services.ts'

export interface ClosingOptions {
  readonly app: Pick<App, 'on' | 'quit'>
  readonly log: Log
  /** How many agents are at work at the moment. */
  readonly running: () => number
  /** Asks whether to stop so many agents. @returns whether to */
  readonly ask: (window: BrowserWindow, agents: number) => Promise<boolean>
  /** Stops everything and flushes. */
  readonly close: () => Promise<void>
}

export interface Closing {
  /** Closing this window ends the program. */
  guard(window: BrowserWindow): void
  /** Ends the program, after asking if agents are at work. */
  quit(): void
}

/** ms for agents to stop and logs to be flushed: processes that ignore SIGTERM take 2 s. */
const PATIENCE = 8000

export function createClosing({ app, log, running, ask, close }: ClosingOptions): Closing {
  let phase: 'open' | 'asking' | 'closing' | 'closed' = 'open'
  let window: BrowserWindow | null = null

  const shutDown = async (): Promise<void> => {
    if (phase === 'closing' || phase === 'closed') return
    phase = 'closing'
    window?.hide()
    await withinTime(close(), PATIENCE).catch((error: unknown) => log.error('Stopping cleanly failed', error))
    phase = 'closed'
    app.quit()
  }

  const askAndShutDown = async (): Promise<void> => {
    if (phase !== 'open') return
    const agents = running()
    if (agents > 0 && window !== null && !window.isDestroyed()) {
      phase = 'asking'
      const isMeant = await ask(window, agents).finally(() => {
        phase = 'open'
      })
      if (!isMeant) return
    }
    await shutDown()
  }
  const quit = (): void => {
    askAndShutDown().catch((error: unknown) => log.error('The question before closing failed', error))
  }

  // Logging out, a signal or the last window: nobody is there to be asked.
  app.on('before-quit', (event) => {
    if (phase === 'closed') return
    event.preventDefault()
    void shutDown()
  })
  app.on('window-all-closed', () => app.quit())

  return {
    quit,
    guard(guarded) {
      window = guarded
      guarded.on('close', (event) => {
        if (phase === 'closed') return
        event.preventDefault()
        quit()
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
