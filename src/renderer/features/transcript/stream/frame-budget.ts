/**
 * Shares the time of a frame between all streaming texts. Tasks that exceed the frame's budget run in the next frame.
 * With few panels, each renders at every frame; with many, each renders less often, and typing stays smooth.
 */
import { flushSync } from 'react-dom'
import { elapsedMs } from '../../../ui/machine.ts'

interface FrameBudget {
  /**
   * Runs the task once, in one of the next frames. Returns a function that cancels the request. A heavy task (new
   * rows) has its own frame, and never two in a row, so that text keeps streaming.
   */
  request(task: () => void, weight?: 'light' | 'heavy'): () => void
}

interface FrameBudgetOptions {
  /** Milliseconds of script in one frame. At least one task runs in each. */
  readonly budgetMs: number
  readonly nextFrame: (run: () => void) => void
  readonly now: () => number
  /** Runs the tasks of a frame and the renders that they cause, synchronously. */
  readonly flush: (tasks: () => void) => void
}

/** The weight of the newest frame in the expected cost of a task. */
const NEWEST = 0.3

export function createFrameBudget({ budgetMs, nextFrame, now, flush }: FrameBudgetOptions): FrameBudget {
  const light = new Set<() => void>()
  const heavy = new Set<() => void>()
  let asked = false
  let wasHeavy = false
  let expectedMs = 1

  const run = () => {
    asked = false
    wasHeavy = heavy.size > 0 && (!wasHeavy || light.size === 0)
    const waiting = wasHeavy ? heavy : light
    const count = wasHeavy ? 1 : Math.max(1, Math.floor(budgetMs / expectedMs))
    const tasks = [...waiting].slice(0, count)
    for (const task of tasks) waiting.delete(task)
    const start = now()
    flush(() => {
      for (const task of tasks) task()
    })
    if (tasks.length > 0 && !wasHeavy)
      expectedMs = expectedMs * (1 - NEWEST) + ((now() - start) / tasks.length) * NEWEST || expectedMs
    ask()
  }
  const ask = () => {
    if (asked || light.size + heavy.size === 0) return
    asked = true
    nextFrame(run)
  }

  return {
    request(task, weight = 'light') {
      const waiting = weight === 'heavy' ? heavy : light
      // Each request has its own wrapper, so that two requests of one function are two tasks.
      const entry = () => task()
      waiting.add(entry)
      ask()
      return () => waiting.delete(entry)
    },
  }
}

/** The window's budget. Layout costs as much as rendering, and a frame has 8 ms for both. */
export const frameBudget = createFrameBudget({
  budgetMs: 2.5,
  nextFrame: (run) => requestAnimationFrame(run),
  now: elapsedMs,
  flush: flushSync,
})
