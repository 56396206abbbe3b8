/** Keeps matches highlighted in the rendered rows, and brings the current match into view. */
import { type RefObject, useEffect } from 'react'
import { clearMatches, showMatches } from './highlight-matches.ts'
import type { Match } from './match-index.ts'

interface MatchMarksOptions {
  readonly scroller: RefObject<HTMLElement | null>
  /** Empty: nothing is highlighted. */
  readonly text: string
  readonly current: Match | null
  /** A new object each time when the current match must come into view. */
  readonly shownAt: object
  /** Brings a row that is not in the page into view, approximately. */
  readonly showRow: (match: Match) => void
}

/** Maximum frames until the match's row is rendered, measured and in place. */
const MOST_FRAMES = 240
/** Frames without a change after which the match is in place. */
const STABLE = 3

export function useMatchMarks({ scroller, text, current, shownAt, showRow }: MatchMarksOptions): void {
  useEffect(() => {
    if (text === '') return
    let frame = 0
    const later = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0
        mark(scroller, text, current)
      })
    }
    later()
    const observer = new MutationObserver(later)
    if (scroller.current)
      observer.observe(scroller.current, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      clearMatches(scroller)
    }
  }, [scroller, text, current])

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a move or a new search scrolls
  useEffect(() => {
    if (text === '' || current === null) return
    let frames = 0
    let stable = 0
    let frame = 0
    const step = () => {
      frames += 1
      const element = scroller.current
      if (element === null) return
      const row = rowOf(element, current.key)
      const range = mark(scroller, text, current)
      const isDrawn = row !== null && row.querySelector('[data-drawing]') === null
      let scrolled = false
      if (range !== null) scrolled = scrollToRange(range, element)
      else if (row === null) showRow(current)
      else if (frames === 1) row.scrollIntoView({ block: 'center' })
      stable = isDrawn && !scrolled ? stable + 1 : 0
      if (frames < MOST_FRAMES && stable < STABLE) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    // The user scrolls elsewhere meanwhile.
    const stop = () => cancelAnimationFrame(frame)
    const element = scroller.current
    element?.addEventListener('wheel', stop, { passive: true })
    element?.addEventListener('pointerdown', stop)
    return () => {
      stop()
      element?.removeEventListener('wheel', stop)
      element?.removeEventListener('pointerdown', stop)
    }
  }, [shownAt])
}

/** The element of a row or of a call in a group. */
function rowOf(scroller: HTMLElement, key: string): HTMLElement | null {
  const name = CSS.escape(key)
  return scroller.querySelector(`[data-call="${name}"]`) ?? scroller.querySelector(`[data-row="${name}"]`)
}

/** Highlights all matches in the page. Returns the range of the current match. */
function mark(scroller: RefObject<HTMLElement | null>, text: string, current: Match | null): Range | null {
  const root = scroller.current
  if (root === null) return null
  const element = current === null ? null : rowOf(root, current.key)
  return showMatches(scroller, {
    elements: [...root.querySelectorAll('[data-row]')],
    text,
    current: current && element ? { element, occurrence: current.occurrence } : null,
  })
}

/** Space in px between the range and the edge. */
const MARGIN = 24

/** Returns whether something was scrolled. */
function scrollToRange(range: Range, scroller: HTMLElement): boolean {
  let scrolled = false
  let element = range.startContainer.parentElement
  while (element !== null) {
    if (element === scroller || isScrolling(element)) scrolled = scrollWithin(element, range) || scrolled
    if (element === scroller) break
    element = element.parentElement
  }
  return scrolled
}

function isScrolling(element: HTMLElement): boolean {
  const overflows =
    element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1
  if (!overflows) return false
  const { overflowX, overflowY } = getComputedStyle(element)
  return /auto|scroll/.test(overflowX + overflowY)
}

function scrollWithin(element: HTMLElement, range: Range): boolean {
  const { scrollTop, scrollLeft } = element
  const view = element.getBoundingClientRect()
  const { top, bottom, left, right, height } = range.getBoundingClientRect()
  const margin = Math.min(MARGIN, view.height / 4)
  if (top < view.top + margin || bottom > view.bottom - margin)
    element.scrollTop += top + height / 2 - (view.top + view.height / 2)
  if (left < view.left || right > view.right) element.scrollLeft += left - view.left - MARGIN
  return element.scrollTop !== scrollTop || element.scrollLeft !== scrollLeft
}
