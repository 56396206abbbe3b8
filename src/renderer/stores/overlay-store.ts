/** The open overlay of the window; at most one is open. */
import { create } from 'zustand'

type Overlay =
  | 'palette'
  | 'requests'
  | 'help'
  | 'usage'
  | 'trash'
  | 'coordinator'
  | 'context'
  | 'programs'
  | 'best'
  | null

interface OverlayState {
  readonly overlay: Overlay
  /** The first text of the palette. */
  readonly query: string
}

export const useOverlay = create<OverlayState>()(() => ({ overlay: null, query: '' }))

export function showOverlay(overlay: Overlay): void {
  // While an overlay closes, it must not change.
  useOverlay.setState(overlay === null ? { overlay } : { overlay, query: '' })
}

/** Opens the palette with a text, for a choice among its commands. */
export function showPalette(query: string): void {
  useOverlay.setState({ overlay: 'palette', query })
}
