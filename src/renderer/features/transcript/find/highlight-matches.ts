/** Marks found words in what is drawn, without touching it: by ranges that the style sheet colours. */

import './highlight-matches.css'

const ALL = 'troupe-found'
const CURRENT = 'troupe-found-current'

/** Several panels can be searched at once: each has its ranges, the browser has one list for all. */
const rangesOf = new Map<object, { all: readonly Range[]; current: Range | null }>()

/** Shows these matches for one finder; `current` is the occurrence in that element that was gone to. */
export function showMatches(
  finder: object,
  elements: readonly Element[],
  words: string,
  current: { readonly element: Element; readonly occurrence: number } | null,
): Range | null {
  const all = words === '' ? [] : elements.flatMap((element) => rangesIn(element, words))
  const inCurrent = current === null || words === '' ? [] : rangesIn(current.element, words)
  // Markdown hides some characters: the row may show fewer occurrences than its text has.
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

/** The occurrences of the words in the text of an element, over the borders of its inline elements. */
function rangesIn(element: Element, words: string): readonly Range[] {
  const nodes: { node: Text; start: number }[] = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: text.length })
    text += (node as Text).data
  }
  const wanted = words.toLowerCase()
  const lower = text.toLowerCase()
  // Some letters change their length in lower case; places would then be wrong.
  if (lower.length !== text.length) return []
  const ranges: Range[] = []
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange()
    const start = placeOf(nodes, at)
    const end = placeOf(nodes, at + wanted.length - 1)
    if (!start || !end) continue
    range.setStart(start.node, at - start.start)
    range.setEnd(end.node, at + wanted.length - end.start)
    ranges.push(range)
  }
  return ranges
}

function placeOf(nodes: readonly { node: Text; start: number }[], at: number) {
  return nodes.findLast((entry) => entry.start <= at)
}
