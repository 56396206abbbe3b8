/** The mouse in the diff grid: gaps expand, lines take the cursor, line numbers start a comment on one or more lines. */
import { type MouseEvent, type RefObject, useEffect, useRef } from 'react'
import type { DiffRow, DiffSide, GapRow } from './diff-rows.ts'
import { type DiffCursor, sideOn } from './use-cursor.ts'
import type { CommentOn } from './use-line-comments.ts'

interface GridMouseOptions {
  readonly rows: readonly DiffRow[]
  readonly cursor: DiffCursor
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly focus: () => void
  readonly expand: (gap: GapRow) => void
  readonly moveTo: DiffCursor['moveTo']
  readonly commentOn: CommentOn
}

/** The lines that the pressed mouse has passed, from the number where it was pressed. */
interface Drag {
  readonly side: DiffSide
  readonly from: number
  readonly to: number
  readonly moved: boolean
}

export function useGridMouse(options: GridMouseOptions) {
  const { rows, cursor, scroller, focus, expand, moveTo, commentOn } = options
  const drag = useRef<Drag | null>(null)
  /** A drag that ends in the row where it started ends with a click there. */
  const dragged = useRef(false)
  const drop = useRef(() => {})
  drop.current = () => {
    const ended = drag.current
    drag.current = null
    if (!ended?.moved) return
    dragged.current = true
    commentOn(ended.side, between(ended.from, ended.to))
  }
  useEffect(() => {
    const onMouseUp = () => drop.current()
    window.addEventListener('mouseup', onMouseUp)
    return () => window.removeEventListener('mouseup', onMouseUp)
  }, [])
  const onRowClick = (event: MouseEvent, row: DiffRow, index: number) => {
    if (dragged.current) return
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
    const other = extend ? (cursor.anchor ?? start) : line
    commentOn(side, between(other, line), { keepText: extend })
  }
  /** A text selection stays on the side where it starts: the other side is not selectable meanwhile. */
  const onMouseDown = (event: MouseEvent) => {
    const target = event.target instanceof Element ? event.target : null
    const code = target?.closest<HTMLElement>('[data-code]')
    if (scroller.current !== null) scroller.current.dataset['marking'] = code?.dataset['code'] ?? ''
    drag.current = null
    dragged.current = false
    const number = target?.closest<HTMLElement>('[data-number]')?.dataset['number']
    if (number === undefined || event.button !== 0 || event.shiftKey) return
    const side = number === 'before' ? 'before' : 'after'
    const { index, line } = lineUnder(target, side)
    if (line === null) return
    drag.current = { side, from: line, to: line, moved: false }
    // Otherwise the drag would mark text.
    event.preventDefault()
    focus()
    cursor.moveTo(index, { side })
  }
  const onMouseOver = (event: MouseEvent) => {
    const { current } = drag
    if (current === null) return
    // The button was released outside the window.
    if ((event.buttons & 1) === 0) return drop.current()
    const { index, line } = lineUnder(event.target, current.side)
    if (line === null || line === current.to) return
    drag.current = { ...current, to: line, moved: true }
    moveTo(index, { extend: true })
  }
  const lineUnder = (target: EventTarget | null, side: DiffSide) => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    const index = Number(element?.dataset['index'] ?? -1)
    const row = rows[index]
    return { index, line: row?.kind === 'line' ? row[side] : null }
  }
  return { onRowClick, onMouseDown, onMouseOver }
}

const between = (one: number, other: number) => [Math.min(one, other), Math.max(one, other)] as const
