/**
 * The time of this machine. Only this file asks the machine for it, as only random-names.ts asks for random numbers: the
 * platform and the compositions import both, and give everything else what it needs ("The clock and ids" in
 * docs/architecture.md).
 */
import type { Clock } from '../../runtime/ports/ports.ts'

/** ms since the epoch. */
export const machineNow = (): number => Date.now()

/** ms since the program started, for durations: no change of the machine's time moves it. */
export const machineElapsed = (): number => performance.now()

/** The longest delay of a Node timer; with a longer delay it would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The `Clock` port on this machine's time. */
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
