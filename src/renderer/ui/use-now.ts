/** One clock for everything on the screen that counts seconds. The clock stops while no component uses it. */
import { useSyncExternalStore } from 'react'

const TICK = 1000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

/** The time in ms since the epoch, updated every second while `running`; otherwise the last update. */
export function useNow(running: boolean): number {
  return useSyncExternalStore(running ? subscribe : never, () => now)
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, TICK)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

function never(): () => void {
  return () => {}
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}
