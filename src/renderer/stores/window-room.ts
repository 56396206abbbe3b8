/** The width of the window relative to the text size: larger text leaves less room. */
import { useSyncExternalStore } from 'react'
import { useSession } from './session-store.ts'

/** `medium`: the tree shows only icons. `narrow`: the conversation becomes a tab beside the stage. */
export type Room = 'wide' | 'medium' | 'narrow'

const WIDE = 1280
const MEDIUM = 1100

export function useRoom(): Room {
  const textSize = useSession((state) => state.settings.textSize)
  return useSyncExternalStore(subscribe, () => {
    const width = (window.innerWidth * 100) / textSize
    return width >= WIDE ? 'wide' : width >= MEDIUM ? 'medium' : 'narrow'
  })
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}
