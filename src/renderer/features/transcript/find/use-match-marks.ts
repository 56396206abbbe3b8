/** Keeps matches highlighted in the rendered rows, and brings the current match into view. */
import { type RefObject, useEffect } from 'react'
import type { Match } from './match-index.ts'
import './highlight-matches.css'
import { foldCase, positionsOf } from './search-text.ts'

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
    return bringIntoView(scroller, {
      rowKey: current.key,
      mark: () => mark(scroller, text, current),
      showRow: () => showRow(current),
    })
  }, [shownAt])
}

interface InView {
  readonly rowKey: string
  /** Marks the row at each frame, since it may be drawn anew. Returns the range to show; null: the whole row. */
  readonly mark: () => Range | null
  /** Brings the row into view, approximately, while it is not in the page. */
  readonly showRow: () => void
  readonly onDone?: () => void
}

/** Scrolls until the row is rendered, measured and in place, or the user scrolls. @returns the function that ends it */
export function bringIntoView(
  scroller: RefObject<HTMLElement | null>,
  { rowKey, mark, showRow, onDone }: InView,
): () => void {
  let frames = 0
  let stable = 0
  let frame = 0
  const step = () => {
    frames += 1
    const element = scroller.current
    if (element === null) return
    const row = rowOf(element, rowKey)
    const range = mark()
    const isDrawn = row !== null && row.querySelector('[data-drawing]') === null
    let scrolled = false
    if (range !== null) scrolled = scrollToRange(range, element)
    else if (row === null) showRow()
    else if (frames === 1 || (onDone !== undefined && !isInView(row, element))) {
      row.scrollIntoView({ block: 'center' })
      scrolled = frames > 1
    }
    stable = isDrawn && !scrolled ? stable + 1 : 0
    if (frames < MOST_FRAMES && stable < STABLE) frame = requestAnimationFrame(step)
    else onDone?.()
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
}

function isInView(row: HTMLElement, scroller: HTMLElement): boolean {
  const [inner, outer] = [row.getBoundingClientRect(), scroller.getBoundingClientRect()]
  return inner.bottom > outer.top && inner.top < outer.bottom
}

/** The element of a row or of a call in a group. */
export function rowOf(scroller: HTMLElement, key: string): HTMLElement | null {
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

/** Highlights matches in rendered rows by CSS ranges, without changing the elements. */
const ALL = 'troupe-found'
const CURRENT = 'troupe-found-current'

/** The ranges of each finder. Several panels can be searched at once, and the browser has one list for all. */
const rangesOf = new Map<object, { all: readonly Range[]; current: Range | null }>()

interface ShownMatches {
  readonly elements: readonly Element[]
  readonly text: string
  /** The selected occurrence, and the element of its row. */
  readonly current: { readonly element: Element; readonly occurrence: number } | null
}

/** Highlights one finder's matches. Returns the range of the current match. */
export function showMatches(finder: object, { elements, text, current }: ShownMatches): Range | null {
  const all = text === '' ? [] : elements.flatMap((element) => rangesIn(element, text))
  const inCurrent = current === null || text === '' ? [] : rangesIn(current.element, text)
  // Markdown hides some characters, so a row may show fewer occurrences than its text has.
  const at = current === null ? null : (inCurrent[Math.min(current.occurrence, inCurrent.length - 1)] ?? null)
  rangesOf.set(finder, { all, current: at })
  apply()
  return at
}

export function clearMatches(finder: object): void {
  if (rangesOf.delete(finder)) apply()
}

function apply(): void {
  if (typeof Highlight === 'undefined') return
  const entries = [...rangesOf.values()]
  const all = entries.flatMap((entry) => entry.all)
  const current = entries.flatMap((entry) => (entry.current === null ? [] : [entry.current]))
  if (all.length === 0) CSS.highlights.delete(ALL)
  else CSS.highlights.set(ALL, new Highlight(...all))
  if (current.length === 0) CSS.highlights.delete(CURRENT)
  else {
    const highlight = new Highlight(...current)
    highlight.priority = 1
    CSS.highlights.set(CURRENT, highlight)
  }
}

/** The occurrences of the query in an element, across the borders of inline elements. */
function rangesIn(element: Element, query: string): readonly Range[] {
  const nodes: { node: Text; start: number }[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element
      ? node.matches(NOT_SEARCHED)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_SKIP
      : NodeFilter.FILTER_ACCEPT,
  )
  let text = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: text.length })
    text += (node as Text).data
  }
  const wanted = foldCase(query)
  const nodeAt = nodesOf(nodes)
  return positionsOf(wanted, text).flatMap((at) => {
    const start = nodeAt(at)
    const end = nodeAt(at + wanted.length - 1)
    if (!start || !end) return []
    const range = document.createRange()
    range.setStart(start.node, at - start.start)
    range.setEnd(end.node, at + wanted.length - end.start)
    return [range]
  })
}

/** Labels of the window, which are no text of the conversation. */
const NOT_SEARCHED = '.sr-only, [data-unsearched]'

/** Finds the nodes of ascending positions. */
function nodesOf(nodes: readonly { node: Text; start: number }[]) {
  let index = 0
  return (at: number) => {
    while ((nodes[index + 1]?.start ?? Number.POSITIVE_INFINITY) <= at) index += 1
    return nodes[index]
  }
}
