/** The open overlay of the window; at most one is open. */
import { create } from 'zustand'

export type Overlay = 'palette' | 'requests' | null

export const useOverlay = create<{ readonly overlay: Overlay }>()(() => ({ overlay: null }))

export function showOverlay(overlay: Overlay): void {
  useOverlay.setState({ overlay })
}
