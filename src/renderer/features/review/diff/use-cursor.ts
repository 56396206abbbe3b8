/** The line of a diff that the keys act on, and the lines that are selected with it. */
import { useRef, useState } from 'react'
import type { DiffRow, DiffSide, LineRow } from './diff-rows.ts'

interface Cursor {
  readonly index: number
  readonly key: string
  readonly side: DiffSide
  /** Where a selection began: a line of the same side. */
  readonly anchor: number | null
}

export interface DiffCursor {
  /** -1: there is none. */
  readonly index: number
  readonly side: DiffSide
  /** Lines of the side, from 0, both ends included; null: only the line at the cursor. */
  readonly range: readonly [number, number] | null
  moveTo(index: number, options?: { readonly side?: DiffSide; readonly extend?: boolean }): void
  /** To the other side of the line. */
  turn(side: DiffSide): void
}

/** It stays at its line where rows come and go around it. */
export function useCursor(rows: readonly DiffRow[]): DiffCursor {
  const [cursor, setCursor] = useState<Cursor | null>(null)
  const index = cursor === null ? -1 : placeOf(rows, cursor)
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
    turn: (wanted) =>
      setCursor((known) => (known === null ? known : { ...known, side: wanted, anchor: null })),
  }
}

function placeOf(rows: readonly DiffRow[], { key, index }: Cursor): number {
  if (rows[index]?.key === key) return index
  const found = rows.findIndex((row) => row.key === key)
  return found === -1 ? Math.min(index, rows.length - 1) : found
}

/** The wanted side where the row has a line there, else the other one. */
export function sideOn(row: LineRow, wanted: DiffSide): DiffSide {
  if (row[wanted] !== null) return wanted
  return wanted === 'after' ? 'before' : 'after'
}
