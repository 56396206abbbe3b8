/**
 * The keys that scroll a transcript far. The browser's own scrolling ends early: it moves to a position, and the rows
 * there are measured, or loaded, only when they come into view.
 */
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef } from 'react'
import { isEditable, isShortcut } from '../../ui/platform.ts'

interface ScrollKeysOptions {
  readonly scroller: RefObject<HTMLElement | null>
  /** Loads all older pages. */
  readonly loadAll: () => Promise<void>
  /** Stops following the end. */
  readonly hold: () => void
  /** Scrolls to the end and follows it. */
  readonly toEnd: () => void
}

/** The part of a page in px that stays visible. */
const OVERLAP = 40
/** Frames at the start without a change after which the start is reached. */
const STABLE = 5

/** Returns a function that handles a key, and tells whether it did. */
export function useScrollKeys({
  scroller,
  loadAll,
  hold,
  toEnd,
}: ScrollKeysOptions): (event: KeyboardEvent) => boolean {
  const stop = useRef(() => {})
  useEffect(() => () => stop.current(), [])
  const toStart = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    hold()
    stop.current()
    stop.current = staysAtStart(element, loadAll())
  }, [scroller, hold, loadAll])
  return useCallback(
    (event) => {
      const element = scroller.current
      if (element === null || isEditable(event.target)) return false
      const is = (...shortcuts: string[]) => shortcuts.some((shortcut) => isShortcut(event, shortcut))
      const page = Math.max(OVERLAP, element.clientHeight - OVERLAP)
      const scroll = is('Home', 'Mod Home', 'Mod ArrowUp')
        ? toStart
        : is('End', 'Mod End', 'Mod ArrowDown')
          ? toEnd
          : is('PageUp')
            ? () => scrollBy(element, -page)
            : is('PageDown')
              ? () => scrollBy(element, page)
              : null
      if (scroll === null || hasOwnScrolling(event.target, element)) return false
      stop.current()
      event.preventDefault()
      scroll()
      return true
    },
    [scroller, toStart, toEnd],
  )
}

function scrollBy(element: HTMLElement, pixels: number): void {
  element.scrollTop += pixels
}

/** Whether the key belongs to a smaller scrolling part, such as a tool's output. */
function hasOwnScrolling(target: EventTarget, scroller: HTMLElement): boolean {
  return (
    target instanceof HTMLElement &&
    target !== scroller &&
    scroller.contains(target) &&
    target.tabIndex >= 0 &&
    target.scrollHeight > target.clientHeight + 1 &&
    /auto|scroll/.test(getComputedStyle(target).overflowY)
  )
}

/** Keeps the view at the start until all rows are loaded and in place, or until the user scrolls. */
function staysAtStart(element: HTMLElement, loaded: Promise<void>): () => void {
  let isLoaded = false
  let stable = 0
  let frame = 0
  let height = -1
  void loaded.finally(() => {
    isLoaded = true
  })
  const step = () => {
    const isSame = element.scrollTop === 0 && element.scrollHeight === height
    stable = isLoaded && isSame ? stable + 1 : 0
    height = element.scrollHeight
    element.scrollTop = 0
    if (stable < STABLE) frame = requestAnimationFrame(step)
    else end()
  }
  const end = () => {
    cancelAnimationFrame(frame)
    element.removeEventListener('wheel', end)
    element.removeEventListener('pointerdown', end)
  }
  element.addEventListener('wheel', end, { passive: true })
  element.addEventListener('pointerdown', end)
  step()
  return end
}
