/** What lies over the window: one thing at a time. */
import { create } from 'zustand'

export type Overlay = 'palette' | 'requests' | null

export const useOverlay = create<{ readonly overlay: Overlay }>()(() => ({ overlay: null }))

export function showOverlay(overlay: Overlay): void {
  useOverlay.setState({ overlay })
}
