/** How diffs are displayed. The choices apply to all files and survive a restart. */
import { useState } from 'react'
import { useRoom } from '../../stores/session-store.ts'

export interface DiffOptions {
  readonly layout: 'split' | 'unified'
  readonly ignoreWhitespace: boolean
  /** Shows unchanged lines too. */
  readonly whole: boolean
  /** Long lines continue in the next row; otherwise the lines scroll sideways. */
  readonly wrap: boolean
}

/** Options the user has chosen. */
type Chosen = Partial<DiffOptions>

const KEY = 'review-look'

/** The default layout is split in a wide window, unified otherwise. */
export function useDiffOptions(): readonly [DiffOptions, (change: Chosen) => void] {
  const [chosen, setChosen] = useState(readChosen)
  const room = useRoom()
  const change = (some: Chosen) => {
    const next = { ...chosen, ...some }
    setChosen(next)
    localStorage.setItem(KEY, JSON.stringify(next))
  }
  const options: DiffOptions = {
    layout: chosen.layout ?? (room === 'wide' ? 'split' : 'unified'),
    ignoreWhitespace: chosen.ignoreWhitespace === true,
    whole: chosen.whole === true,
    wrap: chosen.wrap !== false,
  }
  return [options, change]
}

function readChosen(): Chosen {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Chosen
    const { layout, ...rest } = stored
    return layout === 'split' || layout === 'unified' ? { ...rest, layout } : rest
  } catch {
    return {}
  }
}
