/**
 * Quitting, and the meaning of closing a window. While another window is visible, only the window's own folder matters:
 * its agents continue or are stopped. Closing the last visible window means all agents: they continue without a window,
 * or stop cleanly within a time limit, so that each can resume after the next start.
 */
import type { App, BrowserWindow } from 'electron'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Log } from './log.ts'

interface ClosingOptions {
  readonly app: Pick<App, 'on' | 'quit' | 'relaunch'>
  readonly log: Log
  /** The number of running agents; with a window: of those in its folder. */
  readonly running: (window?: BrowserWindow) => number
  readonly whenClosed: () => Settings['whenClosed']
  /** Asks what to do with the running agents. */
  readonly ask: (question: ClosingQuestion) => Promise<ClosingWish>
  /** Why the agents' work cannot be saved now; null: everything is saved. */
  readonly unsaved: () => string | null
  /** Asks what to do with unsaved work. */
  readonly askUnsaved: (window: BrowserWindow | null, why: string) => Promise<'retry' | 'lose' | 'cancel'>
  /** Retries the failed writes. */
  readonly save: () => Promise<void>
  /** Hides the window and leaves a way back to it. */
  readonly hide: (window: BrowserWindow) => void
  /** Stops the agents in the window's folder. */
  readonly stopAgents: (window: BrowserWindow) => Promise<void>
  /** Stops everything and flushes. */
  readonly close: () => Promise<void>
}

type ClosingWish = 'stop' | 'keep-running' | 'cancel'

export interface ClosingQuestion {
  /** The window that asks; null while none is visible. */
  readonly window: BrowserWindow | null
  /** The number of running agents that the answer is about. */
  readonly agents: number
  /** Whether another window stays open. */
  readonly othersStay: boolean
}

interface Closing {
  /** Closing this window closes it alone, hides it while agents run, or quits the program. */
  guard(window: BrowserWindow): void
  /** Quits the program, after a question if agents are running. */
  quit(): void
  /** Quits and starts the program again: the user agreed to stop the agents. */
  restart(): void
}

/** ms for agents to stop and logs to be flushed. Processes that ignore SIGTERM take 2 s. */
const TIMEOUT = 8000

export function createClosing(options: ClosingOptions): Closing {
  const { app, log, running } = options
  let phase: 'open' | 'asking' | 'closing' | 'closed' = 'open'
  const windows = new Set<BrowserWindow>()
  const visible = (): BrowserWindow[] => [...windows].filter((one) => !one.isDestroyed() && one.isVisible())

  const shutDown = async (): Promise<void> => {
    if (phase === 'closing' || phase === 'closed') return
    phase = 'closing'
    for (const window of windows) window.hide()
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

  /** @param closed the window that is being closed; null: the program quits */
  const settle = async (
    setting: Settings['whenClosed'],
    closed: BrowserWindow | null,
  ): Promise<ClosingWish> => {
    const window = closed ?? visible()[0] ?? null
    const agents = running()
    const question = { window, agents, othersStay: false }
    const wish = agents === 0 ? 'stop' : setting === 'ask' ? await options.ask(question) : setting
    if (wish !== 'stop') return wish
    return (await confirmLoss(window)) ? 'stop' : 'cancel'
  }

  // A signal or a logout may have quit the program during the question.
  const isAsking = (): boolean => phase === 'asking'
  const isOpen = (): boolean => phase === 'open'

  /** Asks, and does nothing if the program is being closed by the time of the answer. */
  const decide = async (
    ask: () => Promise<ClosingWish>,
    act: (wish: ClosingWish) => Promise<void> | void,
  ) => {
    if (phase !== 'open') return
    phase = 'asking'
    const wish = await ask().finally(() => {
      if (isAsking()) phase = 'open'
    })
    if (isOpen()) await act(wish)
  }
  const begin = (work: Promise<void>): void => {
    work.catch((error: unknown) => log.error('The question before closing failed', error))
  }

  const end = (setting: Settings['whenClosed'], closed: BrowserWindow | null): Promise<void> =>
    decide(
      () => settle(setting, closed),
      async (wish) => {
        if (wish === 'stop') await shutDown()
        else if (wish === 'keep-running')
          for (const window of closed === null ? visible() : [closed])
            if (!window.isDestroyed()) options.hide(window)
      },
    )

  /** Closes one of several windows. */
  const closeOne = (window: BrowserWindow, setting: Settings['whenClosed']): Promise<void> =>
    decide(
      async () => {
        const agents = running(window)
        if (agents === 0) return 'keep-running'
        return setting === 'ask' ? options.ask({ window, agents, othersStay: true }) : setting
      },
      async (wish) => {
        if (wish === 'stop') await options.stopAgents(window)
        if (wish !== 'cancel' && !window.isDestroyed()) window.destroy()
      },
    )

  // Logout, a signal or the last window: there is no user to ask.
  app.on('before-quit', (event) => {
    if (phase === 'closed') return
    event.preventDefault()
    void shutDown()
  })
  app.on('window-all-closed', () => app.quit())

  return {
    // Quitting means the whole program, so the setting to keep agents running does not answer the question.
    quit: () => begin(end(options.whenClosed() === 'stop' ? 'stop' : 'ask', null)),
    restart: () =>
      begin(
        decide(
          async () => ((await confirmLoss(visible()[0] ?? null)) ? 'stop' : 'cancel'),
          async (wish) => {
            if (wish !== 'stop') return
            app.relaunch()
            await shutDown()
          },
        ),
      ),
    guard(window) {
      windows.add(window)
      window.on('close', (event) => {
        if (phase === 'closed') return
        event.preventDefault()
        const setting = options.whenClosed()
        const othersStay = visible().some((other) => other !== window)
        begin(othersStay ? closeOne(window, setting) : end(setting, window))
      })
      window.on('closed', () => windows.delete(window))
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
