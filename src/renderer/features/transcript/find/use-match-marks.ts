/** Keeps matches highlighted in the rendered rows while rows mount and unmount. */
import { useEffect, useRef } from 'react'
import type { Match } from './find-matches.ts'
import { clearMatches, showMatches } from './highlight-matches.ts'

/** Highlights nothing for an empty text. Scrolls the current match into view. */
export function useMatchMarks(
  scroller: { readonly current: HTMLElement | null },
  text: string,
  current: Match | null,
): void {
  const scrolledTo = useRef<Match | null>(null)
  useEffect(() => {
    if (text === '') return
    const finder = scroller
    let frame = 0
    const mark = () => {
      frame = 0
      const rows = [...(scroller.current?.querySelectorAll('[data-row]') ?? [])]
      const element = rows.find((row) => row.getAttribute('data-row') === current?.key)
      const range = showMatches(finder, {
        elements: rows,
        text,
        current: current && element ? { element, occurrence: current.occurrence } : null,
      })
      if (range && scrolledTo.current !== current) {
        scrolledTo.current = current
        range.startContainer.parentElement?.scrollIntoView({ block: 'nearest' })
      }
    }
    const later = () => {
      frame ||= requestAnimationFrame(mark)
    }
    later()
    const observer = new MutationObserver(later)
    if (scroller.current)
      observer.observe(scroller.current, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      clearMatches(finder)
    }
  }, [scroller, text, current])
}
