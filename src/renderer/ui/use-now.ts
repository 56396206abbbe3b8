/** The time for what counts up or down on the screen. */
import { useEffect, useState } from 'react'

/** Milliseconds since the epoch, anew every `stepMs` while it is active; otherwise it stands still. */
export function useNow(stepMs: number, active: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!active) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs, active])
  return now
}
