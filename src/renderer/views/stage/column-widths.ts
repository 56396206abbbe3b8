/** The widths of the stage's columns, stored across restarts. */
import { useState } from 'react'

const STORAGE = 'column-widths'

interface ColumnWidths {
  /** In px; null: the default width. */
  readonly side: number | null
  readonly talk: number | null
}

export function useColumnWidths(): readonly [ColumnWidths, (change: Partial<ColumnWidths>) => void] {
  const [widths, setWidths] = useState(read)
  const change = (part: Partial<ColumnWidths>) => {
    const next = { ...widths, ...part }
    setWidths(next)
    localStorage.setItem(STORAGE, JSON.stringify(next))
  }
  return [widths, change]
}

function read(): ColumnWidths {
  try {
    const kept = JSON.parse(localStorage.getItem(STORAGE) ?? '{}') as Partial<
      Record<keyof ColumnWidths, unknown>
    >
    return { side: widthOf(kept.side), talk: widthOf(kept.talk) }
  } catch {
    return { side: null, talk: null }
  }
}

function widthOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 100 && value <= 3000 ? value : null
}
