/** The keys of a timeline, and the spans of one lane as a list for them and for screen readers. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef } from 'react'
import type { Span } from '../../../shared/timeline/span.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { useAgentName } from '../../stores/conversation-store.ts'
import { isEditable } from '../../ui/platform.ts'
import { type LaneRow, shownSpans } from './lanes.ts'
import { spanLabel } from './span-text.ts'
import { isSame, pan, type Range, selectSpan, useLook, zoom } from './timeline-store.ts'

interface TimelineKeysProps {
  readonly timeline: Timeline
  /** Of the timeline, which changes in place. */
  readonly version: number
  readonly rows: readonly LaneRow[]
  readonly whole: Range
  readonly onOpen: (span: Span) => void
  /** Keys that the list does not take. */
  readonly onKey: (key: string) => boolean
  /** What the view shows. `list`: a tab stop that tells the spans of the selected agent. */
  readonly children: (list: ReactNode) => ReactNode
}

/** Options of the list that exist around the selected one. */
const AROUND = 12

/** Takes the keys of the view: left and right select a span in the list, J and K an agent, others zoom and move. */
export function TimelineKeys({ timeline, version, rows, whole, onOpen, onKey, children }: TimelineKeysProps) {
  const id = useId()
  const agentId = useLook((state) => state.agentId)
  const selected = useLook((state) => state.selected)
  const hidden = useLook((state) => state.hidden)
  const row = rows.find(({ lane }) => lane.agentId === agentId) ?? rows[0]
  const name = useAgentName(row?.lane.agentId ?? '')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lane changes in place
  const spans = useMemo(() => (row === undefined ? [] : shownSpans(row, hidden)), [row, hidden, version])
  const index = spans.findIndex((span) => isSame(span, selected))
  const first = Math.max(0, Math.min(index, spans.length - 1) - AROUND)
  const select = (to: number) => {
    const span = spans[Math.max(0, Math.min(to, spans.length - 1))]
    if (span !== undefined) selectSpan(span, whole)
  }
  const selectRow = (by: number) => {
    const at = row === undefined ? 0 : rows.indexOf(row) + by
    const next = rows[Math.max(0, Math.min(at, rows.length - 1))]
    if (next !== undefined) useLook.setState({ agentId: next.lane.agentId, selected: null })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (
      event.target instanceof Element &&
      event.target.closest('input, textarea, [role="menu"], [role="dialog"]') !== null
    )
      return
    const isOnList =
      event.target === event.currentTarget ||
      (event.target instanceof Element && event.target.role === 'listbox')
    const { range } = useLook.getState()
    const shown = range ?? whole
    const chosen = spans[index]
    const middle = chosen === undefined ? (shown.from + shown.to) / 2 : clampTo(chosen.from, shown)
    const step = (shown.to - shown.from) / 8
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    // A button takes Space itself.
    if (key === ' ' && !isOnList) return
    if (key === 'j' || (isOnList && key === 'ArrowDown')) selectRow(1)
    else if (key === 'k' || (isOnList && key === 'ArrowUp')) selectRow(-1)
    else if (key === 'ArrowLeft' && event.shiftKey) pan(-step, whole)
    else if (key === 'ArrowRight' && event.shiftKey) pan(step, whole)
    else if (isOnList && key === 'ArrowLeft') select(index < 0 ? spans.length - 1 : index - 1)
    else if (isOnList && key === 'ArrowRight') select(index < 0 ? 0 : index + 1)
    else if (isOnList && key === 'Home') select(0)
    else if (isOnList && key === 'End') select(spans.length - 1)
    else if (isOnList && key === 'Enter' && chosen !== undefined) onOpen(chosen)
    else if (key === '+' || key === '=') zoom(1 / 1.5, middle, whole)
    else if (key === '-') zoom(1.5, middle, whole)
    else if (key === '0') useLook.setState({ range: null })
    else if (key === 'Escape' && (selected !== null || range !== null))
      useLook.setState(selected === null ? { range: null } : { selected: null })
    else if (!onKey(key)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const clock = { origin: timeline.from, now: whole.to }
  const listRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { activeElement } = document
    // The view was opened with its key or its button: the keys reach the spans at once.
    if (!isEditable(activeElement) && activeElement?.closest('[role="dialog"]') == null)
      listRef.current?.focus()
  }, [])
  const list = (
    <div
      ref={listRef}
      role="listbox"
      aria-label={`Spans of ${name.title}`}
      aria-activedescendant={index < 0 ? undefined : `${id}-${index}`}
      tabIndex={0}
      className="pointer-events-none absolute inset-0 focus-visible:-outline-offset-2"
    >
      {spans.slice(first, first + 2 * AROUND + 1).map((span, at) => (
        <div
          key={`${span.seq} ${span.kind} ${span.from}`}
          id={`${id}-${first + at}`}
          role="option"
          tabIndex={-1}
          aria-selected={first + at === index}
          aria-posinset={first + at + 1}
          aria-setsize={spans.length}
          className="sr-only"
        >
          {spanLabel(span, clock)}
        </div>
      ))}
    </div>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work wherever the focus is inside the view
    <div
      onKeyDown={onKeyDown}
      data-focus-fallback=""
      tabIndex={-1}
      className="h-full min-h-0 min-w-0 outline-none"
    >
      {children(list)}
    </div>
  )
}

const clampTo = (at: number, { from, to }: Range) => Math.max(from, Math.min(at, to))
