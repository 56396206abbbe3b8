/**
 * Keeps a press from answering something that it was not meant for. Buttons that decide may appear or move under a
 * resting pointer, and a request may get the focus while a key is on its way. For a moment after such a change a press
 * does nothing.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { elapsedMs } from './machine.ts'

/** In ms. */
const SETTLE_MS = 300
/** How often the place of the buttons is looked at, in ms. A press looks again. */
const WATCH_MS = 100

export interface PressGuard {
  /** False for a moment after the element has appeared or moved: its buttons then take no press. */
  readonly isSettled: boolean
  /** Whether a press of the pointer is meant for what is here now. */
  mayClick(): boolean
  /** Whether a key is meant for the element that has the focus now. */
  mayType(): boolean
}

/**
 * Guards the buttons inside an element.
 *
 * @param now the time in ms, from any start
 */
export function usePressGuard(
  element: RefObject<HTMLElement | null>,
  now: () => number = elapsedMs,
): PressGuard {
  const [isSettled, setSettled] = useState(false)
  const place = useRef('')
  const moved = useRef(Number.NEGATIVE_INFINITY)
  const focused = useRef(Number.NEGATIVE_INFINITY)
  const latest = useRef(now)
  latest.current = now

  /** Notes a new place of the element, and when it was found there. */
  const look = useCallback(() => {
    const at = placeOf(element.current)
    if (at === place.current) return
    place.current = at
    moved.current = latest.current()
    setSettled(false)
  }, [element])

  useLayoutEffect(() => {
    place.current = placeOf(element.current)
    moved.current = latest.current()
    focused.current = latest.current()
    const onFocus = ({ relatedTarget }: FocusEvent) => {
      if (!(relatedTarget instanceof Node && element.current?.contains(relatedTarget)))
        focused.current = latest.current()
    }
    const { current } = element
    current?.addEventListener('focusin', onFocus)
    const timer = setInterval(look, WATCH_MS)
    return () => {
      current?.removeEventListener('focusin', onFocus)
      clearInterval(timer)
    }
  }, [element, look])

  useEffect(() => {
    if (isSettled) return
    const timer = setInterval(() => {
      if (latest.current() - moved.current >= SETTLE_MS) setSettled(true)
    }, WATCH_MS / 2)
    return () => clearInterval(timer)
  }, [isSettled])

  return {
    isSettled,
    mayClick: () => {
      look()
      return latest.current() - moved.current >= SETTLE_MS
    },
    mayType: () => latest.current() - focused.current >= SETTLE_MS,
  }
}

/** Where an element is in the content of its scrollers: scrolling is the user's own doing and moves nothing. */
function placeOf(element: HTMLElement | null): string {
  if (element === null) return ''
  let { left, top } = element.getBoundingClientRect()
  for (let around = element.parentElement; around !== null; around = around.parentElement) {
    left += around.scrollLeft
    top += around.scrollTop
  }
  return `${Math.round(left)} ${Math.round(top)}`
}
