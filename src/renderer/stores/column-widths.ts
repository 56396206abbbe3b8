/** The widths of the stage's columns as the user dragged them, the same for all conversations and kept over restarts. */
import { create } from 'zustand'

const STORAGE = 'column-widths'

export interface ColumnWidths {
  /** In px; null: the default width. */
  readonly side: number | null
  readonly talk: number | null
}

export const useColumnWidths = create<ColumnWidths>()(() => read())

export function changeColumnWidths(change: Partial<ColumnWidths>): void {
  useColumnWidths.setState(change)
  try {
    localStorage.setItem(STORAGE, JSON.stringify(useColumnWidths.getState()))
  } catch {
    // A full or forbidden storage: the widths last as long as the window.
  }
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

/** A width of the storage; null: it is none. */
export function widthOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 100 && value <= 3000 ? value : null
}
