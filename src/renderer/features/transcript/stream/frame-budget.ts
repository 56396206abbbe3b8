/**
 * Shares the time of a frame between all streaming texts. Tasks that exceed the frame's budget run in the next frame.
 * With few panels, each renders at every frame; with many, each renders less often, and typing stays smooth. Where frames
 * come late, up to every other one has no tasks: what a frame costs besides them, a slow machine can't do 60 times a second.
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

/** ms from one frame to the next, after which the window has more to do than it can. */
const LATE = 25
/** The share of frames with work: the least one, what a late frame leaves of it, and what one in time adds. */
const SLOWEST = 0.5
const LESS = 0.7
const MORE = 0.02
/** The weight of the newest frame in the expected cost of a task. */
const NEWEST = 0.3

export function createFrameBudget({ budgetMs, nextFrame, now, flush }: FrameBudgetOptions): FrameBudget {
  const light = new Set<() => void>()
  const heavy = new Set<() => void>()
  let askedAt: number | null = null
  /** The share of frames with work, and how much of one has come together. */
  let pace = 1
  let due = 0
  let wasHeavy = false
  let expectedMs = 1

  const run = () => {
    const start = now()
    pace = start - (askedAt ?? start) > LATE ? Math.max(SLOWEST, pace * LESS) : Math.min(1, pace + MORE)
    due += pace
    askedAt = null
    if (due < 1) return ask()
    due -= 1
    wasHeavy = heavy.size > 0 && (!wasHeavy || light.size === 0)
    const waiting = wasHeavy ? heavy : light
    const count = wasHeavy ? 1 : Math.max(1, Math.floor(budgetMs / expectedMs))
    const tasks = [...waiting].slice(0, count)
    for (const task of tasks) waiting.delete(task)
    flush(() => {
      for (const task of tasks) task()
    })
    if (tasks.length > 0 && !wasHeavy)
      expectedMs = expectedMs * (1 - NEWEST) + ((now() - start) / tasks.length) * NEWEST || expectedMs
    ask()
  }
  const ask = () => {
    if (askedAt !== null || light.size + heavy.size === 0) return
    askedAt = now()
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
