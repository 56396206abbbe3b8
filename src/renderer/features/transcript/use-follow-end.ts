/** Keeps the end of a scrolling element in sight while it grows. See `follow-end.ts` for the rules. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { afterScroll, type FollowState, followAtFirst, holdStill, type ScrollPlace } from './follow-end.ts'

export interface FollowEnd {
  readonly following: boolean
  /** Rows that came since the person left the end. */
  readonly unseen: number
  onScroll(): void
  /** Call it when rows were laid out: it moves to the end, before anything is painted. */
  afterLayout(): void
  /** Goes to the end and stays there. */
  toEnd(): void
  /** Stays where it is from now on. */
  hold(): void
}

export function useFollowEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  rowCount: number,
): FollowEnd {
  const state = useRef<FollowState>(followAtFirst)
  const [following, setFollowing] = useState(true)
  const [leftAt, setLeftAt] = useState(rowCount)
  const count = useRef(rowCount)
  count.current = rowCount

  const change = useCallback((next: FollowState) => {
    const before = state.current.following
    state.current = next
    if (before === next.following) return
    setFollowing(next.following)
    setLeftAt(count.current)
  }, [])
  const onScroll = useCallback(() => {
    const element = scroller.current
    if (element) change(afterScroll(state.current, placeOf(element)))
  }, [scroller, change])
  const afterLayout = useCallback(() => {
    const element = scroller.current
    if (!element || !state.current.following) return
    element.scrollTop = element.scrollHeight
    state.current = { following: true, place: placeOf(element) }
  }, [scroller])
  const toEnd = useCallback(() => {
    change({ ...state.current, following: true })
    afterLayout()
  }, [change, afterLayout])
  const hold = useCallback(() => change(holdStill(state.current)), [change])

  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => {
      const element = scroller.current
      if (!element) return
      if (state.current.following) afterLayout()
      // Something was closed again, and the end is back in sight.
      else change(afterScroll(state.current, placeOf(element)))
    })
    if (content.current) observer.observe(content.current)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, content, afterLayout, change])

  return { following, unseen: Math.max(0, rowCount - leftAt), onScroll, afterLayout, toEnd, hold }
}

function placeOf(element: HTMLElement): ScrollPlace {
  return { top: element.scrollTop, height: element.scrollHeight, visible: element.clientHeight }
}
