/** Moves the grid's cursor and scrolls to it: by rows, by changes, and on arrival from another file. */
import { type Ref, useEffect, useImperativeHandle } from 'react'
import type { DiffRow } from './diff-rows.ts'
import type { DiffCursor } from './use-cursor.ts'
import type { DiffVirtualizer } from './use-diff-virtualizer.ts'

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
