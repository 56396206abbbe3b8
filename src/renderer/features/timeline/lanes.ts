/** The lanes as the view shows them: in the order of the tree, filtered, with their spans in the order of their starts. */
import { type Lane, spansOf } from '../../../shared/timeline/lane.ts'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import type { HiddenKinds, Range } from './timeline-store.ts'

export interface LaneRow {
  readonly lane: Lane
  readonly depth: number
  /** The spans that the words of the filter name; null: all. */
  readonly found: ReadonlySet<Span> | null
}

interface RowsOf {
  readonly timeline: Timeline
  /** Of the filter; empty: every agent. */
  readonly words: string
  readonly nameOf: (agentId: string) => string
}

/** An agent is found by its name, its type or its task, or by what its spans name. Parents come before their agents. */
export function laneRows({ timeline, words, nameOf }: RowsOf): readonly LaneRow[] {
  const children = new Map<string | null, Lane[]>()
  for (const lane of Object.values(timeline.lanes)) {
    const parentId = lane.parentId !== null && lane.parentId in timeline.lanes ? lane.parentId : null
    const siblings = children.get(parentId)
    if (siblings === undefined) children.set(parentId, [lane])
    else siblings.push(lane)
  }
  const wanted = words
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const rows: LaneRow[] = []
  const add = (parentId: string | null, depth: number): void => {
    for (const lane of children.get(parentId) ?? []) {
      const found = findIn(lane, wanted, nameOf(lane.agentId))
      if (found === null || found.size > 0) rows.push({ lane, depth, found })
      add(lane.agentId, depth + 1)
    }
  }
  add(null, 0)
  return rows
}

/** Null: the agent itself is found, with all its spans. */
function findIn(lane: Lane, wanted: readonly string[], name: string): ReadonlySet<Span> | null {
  const has = (text: string) => wanted.every((word) => text.includes(word))
  if (has(`${name} ${lane.type} ${lane.task}`.toLowerCase())) return null
  return new Set(spansOf(lane).filter((span) => has(wordsIn(span).toLowerCase())))
}

function wordsIn(span: Span): string {
  if (span.kind === 'model') return span.model
  return `${span.name} ${span.title} ${span.kind === 'tool' ? span.note : ''}`
}

/** Calls `draw` with each span that touches the range, in the order of their ends. */
export function eachSpanIn({ spans, now }: Lane, { from, to }: Range, draw: (span: Span) => void): void {
  for (let index = firstEndingAt(spans, from); index < spans.length; index++) {
    const span = spans[index] as Span
    if (span.from <= to) draw(span)
    // No call was open when such a span began, so every later span begins later.
    else if (span.kind !== 'tool' && span.kind !== 'user') break
  }
  if (now.base !== null && now.base.span.from <= to) draw(now.base.span)
  for (const { open } of now.calls) if (open !== null && open.span.from <= to) draw(open.span)
}

/** The index of the first ended span that ends at this time or later. */
function firstEndingAt(spans: readonly Span[], at: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.to ?? at) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** The span at a moment, or within some ms of it: a call before what runs below it, then the shorter one. */
export function spanAt(
  { lane, found }: LaneRow,
  { at, slack, hidden }: { readonly at: number; readonly slack: number; readonly hidden: HiddenKinds },
): Span | null {
  let best: Span | null = null
  const distance = (span: Span) => Math.max(span.from - at, at - (span.to ?? at), 0)
  eachSpanIn(lane, { from: at - slack, to: at + slack }, (span) => {
    if (hidden.has(span.kind) || found?.has(span) === false) return
    if (best === null || distance(span) < distance(best)) best = span
    else if (distance(span) === distance(best) && lengthOf(span) <= lengthOf(best)) best = span
  })
  return best
}

const lengthOf = (span: Span) => (span.to ?? Number.POSITIVE_INFINITY) - span.from

/** The spans of a row that are not hidden, in the order of their starts. */
export function shownSpans({ lane, found }: LaneRow, hidden: HiddenKinds): readonly Span[] {
  return spansOf(lane)
    .filter((span) => !hidden.has(span.kind) && found?.has(span) !== false)
    .sort((one, other) => one.from - other.from || one.seq - other.seq)
}

/** Where a moment stands on so many px. */
export function xOf(
  at: number,
  { range: { from, to }, width }: { readonly range: Range; readonly width: number },
): number {
  return ((at - from) / (to - from)) * width
}
