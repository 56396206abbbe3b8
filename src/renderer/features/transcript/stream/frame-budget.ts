/**
 * Shares the time of a frame between all texts that stream: each in turn until the frame's share is used
 * up, the rest in the next frame. Few panels are drawn at every frame; with many each is drawn a little
 * less often, and typing stays smooth.
 */

export interface FrameBudget {
  /** Runs the task once, in one of the next frames. The function that is returned takes it back. */
  request(task: () => void): () => void
}

export interface FrameBudgetOptions {
  /** Milliseconds of script in one frame. At least one task runs in each. */
  readonly budgetMs: number
  readonly nextFrame: (run: () => void) => void
  readonly now: () => number
}

export function createFrameBudget({ budgetMs, nextFrame, now }: FrameBudgetOptions): FrameBudget {
  const waiting = new Set<() => void>()
  let asked = false

  const run = () => {
    asked = false
    const start = now()
    for (const task of waiting) {
      waiting.delete(task)
      task()
      if (now() - start >= budgetMs) break
    }
    ask()
  }
  const ask = () => {
    if (asked || waiting.size === 0) return
    asked = true
    nextFrame(run)
  }

  return {
    request(task) {
      // A wrapper of its own, so that two requests of one function are two tasks.
      const entry = () => task()
      waiting.add(entry)
      ask()
      return () => waiting.delete(entry)
    },
  }
}

/** The window's own: half of a 60 Hz frame is left to layout, painting and everything else. */
export const frameBudget = createFrameBudget({
  budgetMs: 4,
  nextFrame: (run) => requestAnimationFrame(run),
  now: () => performance.now(),
})
