/** While an agent still writes a file, what is read of it stays where it is on the screen. */
import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef } from 'react'
import type { DiffRow } from './diff-rows.ts'
import type { FileDiff } from './use-diff.ts'

interface Seen {
  readonly diff: FileDiff
  readonly rows: readonly DiffRow[]
}

interface PlaceOptions extends Seen {
  readonly virtualizer: Virtualizer<HTMLDivElement, Element>
}

/** Scrolls so that the line that was at the top is there again after the file has changed. */
export function usePlaceKept({ rows, diff, virtualizer }: PlaceOptions): void {
  const last = useRef<Seen>({ rows, diff })
  useLayoutEffect(() => {
    const { rows: oldRows, diff: oldDiff } = last.current
    last.current = { rows, diff }
    if (oldDiff === diff) return
    const offset = virtualizer.scrollOffset ?? 0
    if (offset === 0) return
    const top = virtualizer.measurementsCache.find(({ end }) => end > offset)
    const row = top === undefined ? undefined : oldRows[top.index]
    if (top === undefined || row?.kind !== 'line') return
    const found = nearestSame(rows, diff, { text: textOf(row, oldDiff), index: top.index })
    if (found === -1) return
    const [start] = virtualizer.getOffsetForIndex(found, 'start') ?? [offset]
    virtualizer.scrollToOffset(start + (offset - top.start))
  }, [rows, diff, virtualizer])
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
