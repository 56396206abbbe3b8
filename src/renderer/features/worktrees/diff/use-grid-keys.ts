/** The keys of the diff grid. */
import type { KeyboardEvent } from 'react'
import type { DiffRow, DiffSide, GapRow } from './diff-rows.ts'
import type { DiffCursor } from './use-cursor.ts'
import type { GridNavigation } from './use-grid-navigation.ts'

interface GridKeyOptions extends GridNavigation {
  readonly rows: readonly DiffRow[]
  readonly cursor: DiffCursor
  readonly layout: 'split' | 'unified'
  readonly pageSize: () => number
  readonly expand: (gap: GapRow) => void
  readonly commentAtCursor: () => void
  /** Null: B takes back the file. */
  readonly takeBackAtCursor: (() => void) | null
  readonly focusEditor: () => void
  /** Null while lines are wrapped. */
  readonly scrollSideways: ((direction: 1 | -1) => void) | null
  readonly onLeave: () => void
}

export function useGridKeys(options: GridKeyOptions): (event: KeyboardEvent) => void {
  const { rows, cursor, layout, pageSize, moveTo, moveBy, expand, commentAtCursor } = options
  const activate = () => {
    const row = rows[cursor.index]
    if (row?.kind === 'gap') expand(row)
    else if (row?.kind === 'editor') options.focusEditor()
    else commentAtCursor()
  }
  /** Switches to the other side of a split line; from the left side, Left leaves the grid. */
  const moveToSide = (side: DiffSide) => {
    const row = rows[cursor.index]
    if (layout === 'split' && row?.kind === 'line' && row[side] !== null && cursor.side !== side)
      cursor.moveToSide(side)
    else if (side === 'before') options.onLeave()
  }
  return (event) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const { index } = cursor
    const extend = event.shiftKey
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (key === 'j' || key === 'ArrowDown') moveBy(1, extend)
    else if (key === 'k' || key === 'ArrowUp') moveBy(-1, extend)
    else if (key === 'PageDown') moveTo(index + pageSize())
    else if (key === 'PageUp') moveTo(index - pageSize())
    else if (key === 'Home') moveTo(0)
    else if (key === 'End') moveTo(rows.length - 1)
    else if (extend && key === 'ArrowLeft' && options.scrollSideways !== null) options.scrollSideways(-1)
    else if (extend && key === 'ArrowRight' && options.scrollSideways !== null) options.scrollSideways(1)
    else if (key === 'ArrowLeft') moveToSide('before')
    else if (key === 'ArrowRight') moveToSide('after')
    else if (key === 'c') commentAtCursor()
    else if (key === 'b' && !event.repeat && options.takeBackAtCursor !== null) options.takeBackAtCursor()
    else if (key === 'Enter') activate()
    else if (key === 'Escape') options.onLeave()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
}
