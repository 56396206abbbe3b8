/**
 * Shares the time of a frame between all texts that stream: as many in turn as fit in the frame's share,
 * the rest in the next frame. Few panels are drawn at every frame; with many each is drawn a little less
 * often, and typing stays smooth.
 */
import { flushSync } from 'react-dom'

export interface FrameBudget {
  /**
   * Runs the task once, in one of the next frames. The function that is returned takes it back. A heavy task
   * (rows that are new) has a frame for itself, and not two in a row, so that words go on streaming.
   */
  request(task: () => void, weight?: 'light' | 'heavy'): () => void
}

export interface FrameBudgetOptions {
  /** Milliseconds of script in one frame. At least one task runs in each. */
  readonly budgetMs: number
  readonly nextFrame: (run: () => void) => void
  readonly now: () => number
  /** Runs the tasks of a frame, and whatever drawing they cause, before it returns. */
  readonly flush: (tasks: () => void) => void
}

/** How much the newest frame counts in what a task is expected to cost. */
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
      // A wrapper of its own, so that two requests of one function are two tasks.
      const entry = () => task()
      waiting.add(entry)
      ask()
      return () => waiting.delete(entry)
    },
  }
}

/** The window's own. Laying out what was drawn costs as much again, and a frame has 8 ms for both. */
export const frameBudget = createFrameBudget({
  budgetMs: 2.5,
  nextFrame: (run) => requestAnimationFrame(run),
  now: () => performance.now(),
  flush: flushSync,
})
