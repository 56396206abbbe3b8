/** What is read of a file stays where it is on the screen while its agent writes it, and as it is laid out anew. */
import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef } from 'react'
import type { DiffRow, LineRow } from './diff-rows.ts'
import type { FileDiff } from './use-diff.ts'

interface Shown {
  readonly diff: FileDiff
  readonly rows: readonly DiffRow[]
  /** How the rows are laid out. */
  readonly look: string
}

interface PlaceOptions extends Shown {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
}

/** The uppermost line on the screen. */
interface Top {
  readonly row: LineRow
  readonly index: number
  /** Px from where the screen begins down to it; below 0 where it is cut off. */
  readonly offset: number
}

/** Scrolls so that the line that was at the top is there again after the file or its look has changed. */
export function usePlaceKept({ rows, diff, look, virtualizer }: PlaceOptions): void {
  const last = useRef<(Shown & { readonly top: Top | null }) | null>(null)
  useLayoutEffect(() => {
    const before = last.current
    const changed = before !== null && (before.diff !== diff || before.look !== look)
    last.current = { rows, diff, look, top: changed ? before.top : topOf(rows, virtualizer) }
    if (!changed || before.top === null || (virtualizer.scrollOffset ?? 0) === 0) return
    const { row, index, offset } = before.top
    if (before.diff === diff) {
      // No height is known of rows that are laid out anew: this follows until they are.
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

function topOf(rows: readonly DiffRow[], { scrollOffset, measurementsCache }: PlaceOptions['virtualizer']) {
  const screen = scrollOffset ?? 0
  for (const { end, start, index } of measurementsCache) {
    const row = rows[index]
    if (end > screen && row?.kind === 'line') return { row, index, offset: start - screen }
  }
  return null
}

/** The same line, or the next one that is shown, where the same lines are laid out anew. */
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
