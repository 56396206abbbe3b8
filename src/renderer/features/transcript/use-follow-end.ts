/** Keeps the end of a growing element in view. See `follow-end.ts` for the rules. */
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { elapsedMs } from '../../ui/machine.ts'

interface FollowEnd {
  readonly following: boolean
  /** The seq of the last event when the user left the end. */
  readonly leftAt: number
  onScroll(): void
  /** Fixes the content's minimum height at its last measured height, or releases it. */
  holdHeight(hold: boolean): void
  /** Scrolls to the end and follows it. */
  toEnd(): void
  /** Stops following the end. */
  hold(): void
  /** Stops following while text is selected. After that, follows again if the end is in view. */
  holdSelection(selected: boolean): void
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

  const selected = useRef(false)

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
    if (distanceFromEnd(positionOf(element)) > 0) element.scrollTop = element.scrollHeight
    state.current = { following: true, position: positionOf(element) }
  }, [scroller])
  const onScroll = useCallback(() => {
    const element = scroller.current
    if (!element) return
    const next = afterScroll(state.current, positionOf(element), gesture.recent())
    change(selected.current ? holdStill(next) : next)
    if (state.current.following) moveToEnd()
  }, [scroller, change, moveToEnd, gesture])
  const toEnd = useCallback(() => {
    selected.current = false
    change({ ...state.current, following: true })
    moveToEnd()
  }, [change, moveToEnd])
  const hold = useCallback(() => change(holdStill(state.current)), [change])
  const holdSelection = useCallback(
    (now: boolean) => {
      selected.current = now
      if (now) hold()
      else onScroll()
    },
    [hold, onScroll],
  )

  const holdHeight = useCallback(
    (hold: boolean) => {
      if (content.current) content.current.style.minHeight = hold ? `${state.current.position.height}px` : ''
    },
    [content],
  )

  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return
    // The observer runs between layout and paint, so no second layout is needed.
    const observer = new ResizeObserver(() => {
      const element = scroller.current
      if (!element) return
      if (state.current.following) moveToEnd()
      // A row was closed, and the end is in view again.
      else if (!selected.current) change(afterScroll(state.current, positionOf(element), false))
    })
    if (content.current) observer.observe(content.current)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, content, moveToEnd, change])

  return { following, leftAt, onScroll, holdHeight, toEnd, hold, holdSelection }
}

function positionOf(element: HTMLElement): ScrollAnchor {
  return { top: element.scrollTop, height: element.scrollHeight, visible: element.clientHeight }
}

/** The time in ms that a wheel keeps turning after the last touch. */
const GESTURE = 400

/** Tells whether the user has just used the wheel, a key or the pointer on the element. */
function useGesture(scroller: RefObject<HTMLElement | null>): { recent(): boolean } {
  const last = useRef({ at: Number.NEGATIVE_INFINITY, pressed: false })
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const now = () => {
      last.current.at = elapsedMs()
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
    () => ({ recent: () => last.current.pressed || elapsedMs() - last.current.at < GESTURE }),
    [],
  )
}

// * Follows the end of a transcript until the user scrolls up, and again after the user returns to the end. Layout
// changes (growing text, rows lower than estimated) never count as scrolling.

/** The measures of a scrolling element, in px. */
export interface ScrollAnchor {
  readonly top: number
  readonly height: number
  readonly visible: number
}

export interface FollowState {
  readonly following: boolean
  readonly position: ScrollAnchor
}

/** The distance that counts as the end, because text sizes cause fractions of pixels. */
const AT_END = 4

export const followAtFirst: FollowState = { following: true, position: { top: 0, height: 0, visible: 0 } }

function distanceFromEnd({ top, height, visible }: ScrollAnchor): number {
  return Math.max(0, height - visible - top)
}

/** The state after the element scrolled. `byPerson`: the user has just used the wheel, a key or the pointer. */
export function afterScroll(state: FollowState, position: ScrollAnchor, byPerson: boolean): FollowState {
  if (distanceFromEnd(position) <= AT_END) return { following: true, position }
  const movedUp = position.top < state.position.top - 1
  return { following: state.following && !(byPerson && movedUp), position }
}

/** The user opened a row or jumped to a position. New rows must not scroll the view. */
export function holdStill(state: FollowState): FollowState {
  return { ...state, following: false }
}
