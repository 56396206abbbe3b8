import type { ElectronApplication } from '@playwright/test'

/** How long an answer of the main process may be lost, in milliseconds. */
const LOST_FOR = 15_000

/**
 * Evaluates a function in the main process and returns its answer.
 *
 * The debugger holds the answer weakly, so a garbage collection in the main process can lose it. The function is
 * then evaluated again, after a pause in which the collection ends: it must be one that may run twice.
 */
export async function inMain<T, A>(
  app: ElectronApplication,
  work: (modules: typeof Electron.CrossProcessExports, argument: A) => T | Promise<T>,
  argument?: A,
): Promise<T> {
  const end = Date.now() + LOST_FOR
  for (let pause = 10; ; pause *= 2)
    try {
      return (await app.evaluate(work as never, argument)) as T
    } catch (error) {
      if (Date.now() > end || !String(error).includes('garbage collected')) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
}
