/** The free layout as the docking library last reported it. */
import { type RefObject, useCallback, useRef, useState } from 'react'
import { remember } from '../../stores/stage-memory.ts'
import type { DockHandle } from './free-docking.tsx'
import type { Move } from './panel-drag.ts'

export interface Dock {
  readonly handle: RefObject<DockHandle | null>
  /** The agents that have a panel. */
  readonly docked: readonly string[]
  /** The agent whose panel fills the stage. */
  readonly maximized: string | null
  /** The move that began the free layout, until the library has made it. */
  readonly firstMove: Move | null
  /** Switches to the free layout with a move. */
  readonly begin: (move: Move) => void
  readonly onChange: (panels: readonly string[], saved: unknown) => void
  readonly onMaximize: (agentId: string | null) => void
}

export function useDock(): Dock {
  const handle = useRef<DockHandle>(null)
  const [docked, setDocked] = useState<readonly string[]>([])
  const [maximized, setMaximized] = useState<string | null>(null)
  const [firstMove, setFirstMove] = useState<Move | null>(null)
  const begin = useCallback((move: Move) => {
    setFirstMove(move)
    remember({ layout: 'free', dock: null })
  }, [])
  return {
    handle,
    docked,
    maximized,
    firstMove,
    begin,
    onChange: (panels, saved) => {
      setFirstMove(null)
      setDocked(panels)
      remember({ dock: saved })
    },
    onMaximize: setMaximized,
  }
}
