/** Clicks in the diff grid: gaps expand, lines take the cursor, line numbers start a comment. */
import type { MouseEvent, RefObject } from 'react'
import type { DiffRow, DiffSide, GapRow } from './diff-rows.ts'
import { type DiffCursor, sideOn } from './use-cursor.ts'

interface GridMouseOptions {
  readonly rows: readonly DiffRow[]
  readonly cursor: DiffCursor
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly focus: () => void
  readonly expand: (gap: GapRow) => void
  readonly commentOn: (side: DiffSide, lines: readonly [number, number]) => void
}

export function useGridMouse({ rows, cursor, scroller, focus, expand, commentOn }: GridMouseOptions) {
  const onRowClick = (event: MouseEvent, row: DiffRow, index: number) => {
    if (row.kind === 'gap') {
      expand(row)
      return focus()
    }
    if (row.kind !== 'line' || !(event.target instanceof Element)) return
    const number = event.target.closest<HTMLElement>('[data-number]')?.dataset['number']
    const code = event.target.closest<HTMLElement>('[data-code]')?.dataset['code']
    const side = sideOn(row, (number ?? code) === 'before' ? 'before' : 'after')
    const line = row[side]
    if (line === null) return
    // Selecting text to copy is not a click.
    if (number === undefined && !document.getSelection()?.isCollapsed) return
    const from = rows[cursor.index]
    const start = from?.kind === 'line' && cursor.side === side ? from[side] : null
    const extend = event.shiftKey && start !== null
    cursor.moveTo(index, { side, extend })
    if (number === undefined) return
    const other = extend ? (cursor.range?.[0] ?? start) : line
    commentOn(side, [Math.min(other, line), Math.max(other, line)])
  }
  /** A text selection stays on the side where it starts: the other side is not selectable meanwhile. */
  const onMouseDown = ({ target }: MouseEvent) => {
    const code = target instanceof Element ? target.closest<HTMLElement>('[data-code]') : null
    if (scroller.current !== null) scroller.current.dataset['marking'] = code?.dataset['code'] ?? ''
  }
  return { onRowClick, onMouseDown }
}
