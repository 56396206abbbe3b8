/** How diffs are shown: the same for all files, and after a restart. */
import { useState } from 'react'
import { useRoom } from '../../stores/window-room.ts'

export interface DiffLook {
  readonly layout: 'split' | 'unified'
  readonly ignoreWhitespace: boolean
  /** Also what did not change. */
  readonly whole: boolean
}

type Kept = Partial<DiffLook>

const KEY = 'review-look'

/** Until one is chosen, the sides stand beside each other where there is room for that. */
export function useDiffLook(): readonly [DiffLook, (change: Kept) => void] {
  const [kept, setKept] = useState(read)
  const room = useRoom()
  const change = (some: Kept) => {
    const next = { ...kept, ...some }
    setKept(next)
    localStorage.setItem(KEY, JSON.stringify(next))
  }
  const look: DiffLook = {
    layout: kept.layout ?? (room === 'wide' ? 'split' : 'unified'),
    ignoreWhitespace: kept.ignoreWhitespace === true,
    whole: kept.whole === true,
  }
  return [look, change]
}

function read(): Kept {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Kept
    const { layout, ...rest } = kept
    return layout === 'split' || layout === 'unified' ? { ...rest, layout } : rest
  } catch {
    return {}
  }
}
