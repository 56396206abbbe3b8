/** The cursor of a diff and the lines selected from it. */
import { useRef, useState } from 'react'
import type { DiffRow, DiffSide, LineRow } from './diff-rows.ts'

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
export function sideOn(row: LineRow, wanted: DiffSide): DiffSide {
  if (row[wanted] !== null) return wanted
  return wanted === 'after' ? 'before' : 'after'
}
