/** Highlights matches in rendered rows by CSS ranges, without changing the elements. */

import './highlight-matches.css'
import { foldCase, positionsOf } from './search-text.ts'

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
