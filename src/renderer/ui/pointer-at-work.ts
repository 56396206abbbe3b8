/**
 * Whether the pointer is at work over an element: it moves there, or a button is held down. As long as it is, nothing below it
 * may change its place by itself. A pointer that rests is no longer at work: changes would otherwise wait without end.
 */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { elapsedMs } from './machine.ts'

/** A pointer rests when it has neither moved nor pressed for this time. In ms. */
export const REST_MS = 3000
/** How often a pointer is looked at that is at work. In ms. */
const WATCH_MS = 500

export interface PointerAtWork {
  readonly isAtWork: boolean
  /** The same at this moment, for decisions between two renders. */
  readonly isAtWorkNow: () => boolean
}

/** @param now the time in ms, from any start */
export function usePointerAtWork(
  element: RefObject<HTMLElement | null>,
  now: () => number = elapsedMs,
): PointerAtWork {
  const [isAtWork, setAtWork] = useState(false)
  /** When the pointer last did something here; null: it is elsewhere. */
  const last = useRef<number | null>(null)
  const isHeld = useRef(false)
  const isShown = useRef(isAtWork)
  isShown.current = isAtWork
  const latest = useRef(now)
  latest.current = now
  const isAtWorkNow = useCallback(
    () => last.current !== null && (isHeld.current || latest.current() - last.current < REST_MS),
    [],
  )

  useEffect(() => {
    const { current } = element
    if (current === null) return
    // Most moves change nothing.
    const acts = () => {
      last.current = latest.current()
      if (!isShown.current) setAtWork(true)
    }
    const leaves = () => {
      // A drag that leaves the element goes on.
      if (isHeld.current) return
      last.current = null
      setAtWork(false)
    }
    const presses = () => {
      isHeld.current = true
      acts()
    }
    const releases = ({ target }: PointerEvent | DragEvent) => {
      if (!isHeld.current) return
      isHeld.current = false
      if (target instanceof Node && current.contains(target)) acts()
      else leaves()
    }
    current.addEventListener('pointermove', acts, { passive: true })
    current.addEventListener('pointerdown', presses)
    current.addEventListener('pointerleave', leaves)
    for (const end of ENDS) window.addEventListener(end, releases)
    return () => {
      current.removeEventListener('pointermove', acts)
      current.removeEventListener('pointerdown', presses)
      current.removeEventListener('pointerleave', leaves)
      for (const end of ENDS) window.removeEventListener(end, releases)
    }
  }, [element])

  useEffect(() => {
    if (!isAtWork) return
    const timer = setInterval(() => setAtWork(isAtWorkNow()), WATCH_MS)
    return () => clearInterval(timer)
  }, [isAtWork, isAtWorkNow])

  return { isAtWork, isAtWorkNow }
}

/** A drag of the page ends a press without `pointerup`. */
const ENDS = ['pointerup', 'pointercancel', 'dragend'] as const
