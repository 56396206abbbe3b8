/** Keeps the end of a scrolling element in sight while it grows. See `follow-end.ts` for the rules. */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import {
  afterScroll,
  distanceFromEnd,
  type FollowState,
  followAtFirst,
  holdStill,
  type ScrollPlace,
} from './follow-end.ts'

export interface FollowEnd {
  readonly following: boolean
  /** The number of the event that was the last when the person left the end. */
  readonly leftAt: number
  onScroll(): void
  /** Keeps the content from becoming lower than it was when it was last looked at, or lets go of it again. */
  holdHeight(hold: boolean): void
  /** Goes to the end and stays there. */
  toEnd(): void
  /** Stays where it is from now on. */
  hold(): void
}

export function useFollowEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  lastSeq: number,
): FollowEnd {
  const state = useRef<FollowState>(followAtFirst)
  const [following, setFollowing] = useState(true)
  const [leftAt, setLeftAt] = useState(lastSeq)
  const gesture = useGesture(scroller)
  const last = useRef(lastSeq)
  last.current = lastSeq

  const change = useCallback((next: FollowState) => {
    const before = state.current.following
    state.current = next
    if (before === next.following) return
    setFollowing(next.following)
    setLeftAt(last.current)
  }, [])
  const moveToEnd = useCallback(() => {
    const element = scroller.current
    if (!element || !state.current.following) return
    if (distanceFromEnd(placeOf(element)) > 0) element.scrollTop = element.scrollHeight
    state.current = { following: true, place: placeOf(element) }
  }, [scroller])
  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const next = afterScroll(state.current, placeOf(element), gesture.recent())
    change(next)
    if (next.following) moveToEnd()
  }, [scroller, change, moveToEnd, gesture])
  const toEnd = useCallback(() => {
    change({ ...state.current, following: true })
    moveToEnd()
  }, [change, moveToEnd])
  const hold = useCallback(() => change(holdStill(state.current)), [change])

  const holdHeight = useCallback(
    (hold: boolean) => {
      if (content.current) content.current.style.minHeight = hold ? `${state.current.place.height}px` : ''
    },
    [content],
  )

  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return
    // It is called after the layout and before the painting of a frame: nothing is laid out twice for it.
    const observer = new ResizeObserver(() => {
      const element = scroller.current
      if (!element) return
      if (state.current.following) moveToEnd()
      // Something was closed again, and the end is back in sight.
      else change(afterScroll(state.current, placeOf(element), false))
    })
    if (content.current) observer.observe(content.current)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, content, moveToEnd, change])

  return { following, leftAt, onScroll, holdHeight, toEnd, hold }
}

function placeOf(element: HTMLElement): ScrollPlace {
  return { top: element.scrollTop, height: element.scrollHeight, visible: element.clientHeight }
}

/** A wheel goes on turning a while after the hand has left it. In ms. */
const GESTURE = 400

/** Knows whether a person has just moved the wheel, pressed a key or the pointer there. */
function useGesture(scroller: RefObject<HTMLElement | null>): { recent(): boolean } {
  const last = useRef({ at: Number.NEGATIVE_INFINITY, pressed: false })
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const now = () => {
      last.current.at = performance.now()
    }
    const press = () => {
      last.current.pressed = true
    }
    const release = () => {
      if (last.current.pressed) now()
      last.current.pressed = false
    }
    const gestures = ['wheel', 'touchmove', 'keydown'] as const
    for (const type of gestures) element.addEventListener(type, now, { passive: true })
    element.addEventListener('pointerdown', press)
    window.addEventListener('pointerup', release)
    window.addEventListener('pointercancel', release)
    return () => {
      for (const type of gestures) element.removeEventListener(type, now)
      element.removeEventListener('pointerdown', press)
      window.removeEventListener('pointerup', release)
      window.removeEventListener('pointercancel', release)
    }
  }, [scroller])
  return useMemo(
    () => ({ recent: () => last.current.pressed || performance.now() - last.current.at < GESTURE }),
    [],
  )
}
