/** Keeps the top line in view while the agent changes the file and when the layout changes. */
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import type { DiffRow, LineRow } from './diff-rows.ts'
import type { FileDiff } from './diff-worker-client.ts'

interface Shown {
  readonly diff: FileDiff
  readonly rows: readonly DiffRow[]
  /** Changes with the layout of the rows. */
  readonly layoutKey: string
}

interface AnchorOptions extends Shown {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
}

/** The topmost visible line. */
interface Top {
  readonly row: LineRow
  readonly index: number
  /** Distance from the top of the view in px; negative when the line is cut off. */
  readonly offset: number
}

/** Scrolls the previous top line back to the top after the file or the layout has changed. */
export function useScrollAnchor({ rows, diff, layoutKey, virtualizer }: AnchorOptions): void {
  const last = useRef<(Shown & { readonly top: Top | null }) | null>(null)
  useLayoutEffect(() => {
    const before = last.current
    const changed = before !== null && (before.diff !== diff || before.layoutKey !== layoutKey)
    last.current = { rows, diff, layoutKey, top: changed ? before.top : topOf(rows, virtualizer) }
    if (!changed || before.top === null || (virtualizer.scrollOffset ?? 0) === 0) return
    const { row, index, offset } = before.top
    if (before.diff === diff) {
      // The new rows are not measured yet; scrollToIndex corrects itself until they are.
      const same = lineFrom(rows, row)
      if (same !== -1) virtualizer.scrollToIndex(same, { align: 'start' })
      return
    }
    const found = nearestSame(rows, diff, { text: textOf(row, before.diff), index })
    if (found === -1) return
    const [start] = virtualizer.getOffsetForIndex(found, 'start') ?? [0]
    virtualizer.scrollToOffset(start - offset)
  })
}

function topOf(rows: readonly DiffRow[], { scrollOffset, measurementsCache }: AnchorOptions['virtualizer']) {
  const screen = scrollOffset ?? 0
  for (const { end, start, index } of measurementsCache) {
    const row = rows[index]
    if (end > screen && row?.kind === 'line') return { row, index, offset: start - screen }
  }
  return null
}

/** The same line in the new layout, or the next visible line. */
function lineFrom(rows: readonly DiffRow[], { before, after }: LineRow): number {
  return rows.findIndex(
    (row) =>
      row.kind === 'line' &&
      (after !== null
        ? row.after !== null && row.after >= after
        : row.before !== null && row.before >= (before ?? 0)),
  )
}

function textOf(row: DiffRow, diff: FileDiff): string | null {
  if (row.kind !== 'line') return null
  return row.after !== null ? (diff.after[row.after] ?? null) : (diff.before[row.before ?? -1] ?? null)
}

function nearestSame(
  rows: readonly DiffRow[],
  diff: FileDiff,
  { text, index }: { readonly text: string | null; readonly index: number },
): number {
  const isSame = (at: number) => {
    const row = rows[at]
    return row !== undefined && textOf(row, diff) === text
  }
  for (let distance = 0; distance < rows.length; distance++) {
    if (isSame(index + distance)) return index + distance
    if (isSame(index - distance)) return index - distance
  }
  return -1
}

// Virtualizes the rows of a diff. The cursor's row and the comment editor are always rendered.

/** Estimated row heights in px, at a text size of 100 %. */
const HEIGHTS = { line: 20, gap: 27, comment: 92, sent: 92, editor: 140, note: 28 } as const

interface DiffVirtualizerOptions {
  readonly rows: readonly DiffRow[]
  /** -1: no cursor. */
  readonly cursorIndex: number
  readonly scroller: RefObject<HTMLDivElement | null>
}

export function useDiffVirtualizer({ rows, cursorIndex, scroller }: DiffVirtualizerOptions) {
  const editorIndex = rows.findIndex(({ kind }) => kind === 'editor')
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'line'],
    overscan: 20,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = new Set(Array.from({ length: to - from + 1 }, (_, step) => from + step))
      for (const index of [cursorIndex, editorIndex]) if (index >= 0 && index < count) rendered.add(index)
      return [...rendered].sort((a, b) => a - b)
    },
  })
  useEffect(() => {
    if (editorIndex !== -1) virtualizer.scrollToIndex(editorIndex, { align: 'auto' })
  }, [virtualizer, editorIndex])
  /** Lines that fit into the visible part of the grid. */
  const pageSize = () => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / HEIGHTS.line) - 2)
  return { virtualizer, pageSize }
}

export type DiffVirtualizer = ReturnType<typeof useDiffVirtualizer>['virtualizer']
