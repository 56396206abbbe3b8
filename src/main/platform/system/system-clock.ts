/** The `Clock` port on this machine's clock. */
import type { Clock } from '../../runtime/ports/ports.ts'
import { machineNow } from './machine-time.ts'

/** The longest delay of a Node timer; with a longer delay it would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

export function createSystemClock(): Clock {
  return { now: machineNow, sleep }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= LONGEST_TIMER)
    await sleepOnce(Math.min(left, LONGEST_TIMER), signal)
}

function sleepOnce(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
