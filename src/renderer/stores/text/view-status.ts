/** The text of the current view in the status bar. */
import { useEffect } from 'react'
import { create } from 'zustand'

interface ViewStatus {
  /** At the left, before everything else. */
  readonly start: string | null
  /** At the right end. */
  readonly end: string | null
}

const NONE: ViewStatus = { start: null, end: null }

export const useViewStatus = create<ViewStatus>()(() => NONE)

/** Shows this text in the status bar while the component is mounted. */
export function useStatusText({ start, end }: ViewStatus): void {
  useEffect(() => useViewStatus.setState({ start, end }), [start, end])
  useEffect(() => () => useViewStatus.setState(NONE), [])
}
