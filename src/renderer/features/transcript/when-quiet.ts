/** Runs a task when the window is idle, at the latest after `timeout` ms. Returns a function that cancels the task. */
export function whenQuiet(run: () => void, timeout: number): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 0)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout })
  return () => cancelIdleCallback(handle)
}
