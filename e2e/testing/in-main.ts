/** Calls into the window's main process, whose answers Playwright can lose. */
import type { ElectronApplication } from '@playwright/test'

/** How long answers of the main process may be lost, in milliseconds. */
const LOST_FOR = 15_000

/** Evaluates a function in the main process and returns its answer. The function may run twice: see `withAnswer`. */
export function inMain<T, A>(
  app: ElectronApplication,
  work: (modules: typeof Electron.CrossProcessExports, argument: A) => T | Promise<T>,
  argument?: A,
): Promise<T> {
  return withAnswer(async () => (await app.evaluate(work as never, argument)) as T)
}

/**
 * Repeats a call whose answer was lost. The debugger holds an answer weakly, so a garbage collection in the main
 * process can lose it; the growing pauses outlast the collection. The call must be one that may run twice.
 */
export async function withAnswer<T>(call: () => Promise<T>): Promise<T> {
  const end = Date.now() + LOST_FOR
  for (let pause = 10; ; pause *= 2)
    try {
      return await call()
    } catch (error) {
      if (Date.now() > end || !String(error).includes('garbage collected')) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
}
