/** Highlights matches in rendered rows by CSS ranges, without changing the elements. */

import './highlight-matches.css'

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
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: text.length })
    text += (node as Text).data
  }
  const wanted = query.toLowerCase()
  const lower = text.toLowerCase()
  // Some letters change their length in lower case, which would shift all later positions.
  if (lower.length !== text.length) return []
  const ranges: Range[] = []
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange()
    const start = nodeAt(nodes, at)
    const end = nodeAt(nodes, at + wanted.length - 1)
    if (!start || !end) continue
    range.setStart(start.node, at - start.start)
    range.setEnd(end.node, at + wanted.length - end.start)
    ranges.push(range)
  }
  return ranges
}

function nodeAt(nodes: readonly { node: Text; start: number }[], at: number) {
  return nodes.findLast((entry) => entry.start <= at)
}
