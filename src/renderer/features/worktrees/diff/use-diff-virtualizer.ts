/** Virtualizes the rows of a diff. The cursor's row and the comment editor are always rendered. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import { useSession } from '../../../stores/session-store.ts'
import type { DiffRow } from './diff-rows.ts'

/** Estimated row heights in px, at a text size of 100 %. */
const HEIGHTS = { line: 20, gap: 27, comment: 92, sent: 92, editor: 140, note: 28 } as const

interface DiffVirtualizerOptions {
  readonly rows: readonly DiffRow[]
  /** -1: no cursor. */
  readonly cursorIndex: number
  readonly scroller: RefObject<HTMLDivElement | null>
}

export function useDiffVirtualizer({ rows, cursorIndex, scroller }: DiffVirtualizerOptions) {
  const scale = useSession((state) => state.settings.textSize) / 100
  const editorIndex = rows.findIndex(({ kind }) => kind === 'editor')
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: (index) => Math.round(HEIGHTS[rows[index]?.kind ?? 'line'] * scale),
    overscan: 20,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = new Set(Array.from({ length: to - from + 1 }, (_, step) => from + step))
      for (const index of [cursorIndex, editorIndex]) if (index >= 0 && index < count) rendered.add(index)
      return [...rendered].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: row heights depend on the text size
  useEffect(() => virtualizer.measure(), [virtualizer, scale])
  useEffect(() => {
    if (editorIndex !== -1) virtualizer.scrollToIndex(editorIndex, { align: 'auto' })
  }, [virtualizer, editorIndex])
  /** Lines that fit into the visible part of the grid. */
  const pageSize = () =>
    Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / (HEIGHTS.line * scale)) - 2)
  return { virtualizer, pageSize }
}

export type DiffVirtualizer = ReturnType<typeof useDiffVirtualizer>['virtualizer']
