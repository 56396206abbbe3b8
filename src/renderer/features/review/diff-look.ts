/** How diffs are shown: the same for all files, and after a restart. */
import { useState } from 'react'

export interface DiffLook {
  readonly layout: 'split' | 'unified'
  readonly ignoreWhitespace: boolean
  /** Also what did not change. */
  readonly whole: boolean
}

const USUAL: DiffLook = { layout: 'split', ignoreWhitespace: false, whole: false }
const KEY = 'review-look'

export function useDiffLook(): readonly [DiffLook, (change: Partial<DiffLook>) => void] {
  const [look, setLook] = useState(read)
  const change = (some: Partial<DiffLook>) => {
    const next = { ...look, ...some }
    setLook(next)
    localStorage.setItem(KEY, JSON.stringify(next))
  }
  return [look, change]
}

function read(): DiffLook {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<DiffLook>
    return {
      layout: kept.layout === 'unified' ? 'unified' : USUAL.layout,
      ignoreWhitespace: kept.ignoreWhitespace === true,
      whole: kept.whole === true,
    }
  } catch {
    return USUAL
  }
}
