/** Moves the grid's cursor and scrolls to it: by rows, by changes, and on arrival from another file. */
import {
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { beginComment, editComment, extendComment } from '../review-comments.ts'
import type { DiffRow, DiffSide, GapRow, LineRow } from './diff-rows.ts'
import type { FileDiff } from './diff-worker-client.ts'
import type { DiffVirtualizer } from './use-scroll-anchor.ts'

export interface DiffGridHandle {
  /** Moves to the next or previous change; false when there is none. */
  goToChange(direction: 1 | -1): boolean
  focus(): void
}

interface GridNavigationOptions {
  readonly rows: readonly DiffRow[]
  /** Indexes of the rows that start a change. */
  readonly starts: readonly number[]
  readonly cursor: DiffCursor
  readonly virtualizer: DiffVirtualizer
  readonly focus: () => void
  readonly handle: Ref<DiffGridHandle>
  /** The direction in which the user came from another file; null when the file was selected. */
  readonly arrivalDirection: () => 1 | -1 | null
}

export interface GridNavigation {
  readonly moveTo: DiffCursor['moveTo']
  /** `extend` moves to the next line of the same side and selects up to it. */
  readonly moveBy: (direction: 1 | -1, extend: boolean) => void
}

export function useGridNavigation(options: GridNavigationOptions): GridNavigation {
  const { rows, starts, cursor, virtualizer, focus, handle, arrivalDirection } = options
  const moveTo: DiffCursor['moveTo'] = (index, moveOptions) => {
    const to = Math.max(0, Math.min(rows.length - 1, index))
    cursor.moveTo(to, moveOptions)
    virtualizer.scrollToIndex(to, { align: 'auto' })
  }
  const moveBy = (direction: 1 | -1, extend: boolean) => {
    if (!extend) return moveTo(cursor.index + direction)
    for (let index = cursor.index + direction; index >= 0 && index < rows.length; index += direction) {
      const row = rows[index]
      if (row?.kind === 'gap') return
      if (row?.kind === 'line' && row[cursor.side] !== null) return moveTo(index, { extend })
    }
  }
  const center = (index: number) => {
    cursor.moveTo(index)
    virtualizer.scrollToIndex(index, { align: 'center' })
  }
  const goToChange = (direction: 1 | -1): boolean => {
    const { index } = cursor
    const next =
      direction === 1 ? starts.find((start) => start > index) : starts.findLast((start) => start < index)
    if (next === undefined) return false
    center(next)
    return true
  }
  useImperativeHandle(handle, () => ({ goToChange, focus }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the file appears
  useEffect(() => {
    const direction = arrivalDirection()
    if (direction === null) return
    focus()
    center((direction === 1 ? starts[0] : starts.at(-1)) ?? 0)
  }, [])
  return { moveTo, moveBy }
}

/** The cursor of a diff and the lines selected from it. */
interface Cursor {
  readonly index: number
  readonly key: string
  readonly side: DiffSide
  /** The line of the same side where the selection started. */
  readonly anchor: number | null
}

export interface DiffCursor {
  /** -1: no cursor. */
  readonly index: number
  readonly side: DiffSide
  /** The selected lines of the side, from 0, both ends included; null without a selection. */
  readonly range: readonly [number, number] | null
  /** The line where the selection started; null without a selection. */
  readonly anchor: number | null
  moveTo(index: number, options?: { readonly side?: DiffSide; readonly extend?: boolean }): void
  /** Moves to the other side of the line. */
  moveToSide(side: DiffSide): void
}

/** The cursor stays on its line when rows around it appear or disappear. */
export function useCursor(rows: readonly DiffRow[]): DiffCursor {
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const index = cursor === null ? -1 : indexOf(rows, cursor)
  const row = rows[index]
  const side = row?.kind === 'line' ? sideOn(row, cursor?.side ?? 'after') : 'after'
  const line = row?.kind === 'line' ? row[side] : null
  const anchor = cursor?.anchor ?? null
  const latest = useRef({ rows, index, side, line, anchor })
  latest.current = { rows, index, side, line, anchor }
  const range =
    anchor === null || line === null ? null : ([Math.min(anchor, line), Math.max(anchor, line)] as const)
  return {
    index,
    side,
    range,
    anchor,
    moveTo: (to, { side: wanted, extend = false } = {}) => {
      const now = latest.current
      const next = now.rows[to]
      if (next === undefined) return
      const kept = extend ? now.side : (wanted ?? now.side)
      if (extend && (next.kind !== 'line' || next[kept] === null)) return
      setCursor({
        index: to,
        key: next.key,
        side: kept,
        anchor: extend ? (now.anchor ?? now.line) : null,
      })
    },
    moveToSide: (wanted) =>
      setCursor((known) => (known === null ? known : { ...known, side: wanted, anchor: null })),
  }
}

function indexOf(rows: readonly DiffRow[], { key, index }: Cursor): number {
  if (rows[index]?.key === key) return index
  const found = rows.findIndex((row) => row.key === key)
  return found === -1 ? Math.min(index, rows.length - 1) : found
}

/** The wanted side if the row has a line there, otherwise the other side. */
function sideOn(row: LineRow, wanted: DiffSide): DiffSide {
  if (row[wanted] !== null) return wanted
  return wanted === 'after' ? 'before' : 'after'
}

/** The keys of the diff grid. */
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

/** The mouse in the diff grid: gaps expand, lines take the cursor, line numbers start a comment on one or more lines. */
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

// Starts comments on lines of a diff.

/** First and last line of one side, from 0. */
type Lines = readonly [number, number]

const LONGEST_QUOTE = 4000

/** The text that a comment on these lines quotes. */
export function quoteOf(lines: readonly string[], [first, last]: Lines): string {
  return lines
    .slice(first, last + 1)
    .join('\n')
    .slice(0, LONGEST_QUOTE)
}

/** `keepText`: an unfinished comment on some of the lines moves to them with its text. */
type CommentOn = (side: DiffSide, lines: Lines, options?: { readonly keepText: boolean }) => void

interface LineCommentOptions {
  readonly path: string
  readonly diff: FileDiff
  readonly draftKey: string
  readonly rows: readonly DiffRow[]
  readonly cursor: DiffCursor
}

export function useLineComments({ path, diff, draftKey, rows, cursor }: LineCommentOptions) {
  const commentOn: CommentOn = (side, lines, { keepText } = { keepText: false }) => {
    const anchor = {
      path,
      side,
      line: lines[0] + 1,
      lastLine: lines[1] === lines[0] ? null : lines[1] + 1,
      quote: quoteOf(diff[side], lines),
    }
    if (keepText) extendComment(draftKey, anchor)
    else beginComment(draftKey, anchor)
  }
  /** Edits the comment at the cursor, or starts one on the selected lines. */
  const commentAtCursor = () => {
    const row = rows[cursor.index]
    if (row?.kind === 'comment') return editComment(draftKey, row.comment.key)
    if (row?.kind !== 'line') return
    const line = row[cursor.side]
    if (line !== null) commentOn(cursor.side, cursor.range ?? [line, line])
  }
  return { commentOn, commentAtCursor }
}
