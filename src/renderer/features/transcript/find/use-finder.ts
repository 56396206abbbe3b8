/** The state of a search in one transcript. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { TranscriptRow } from '../../../../shared/transcript-row.ts'
import { findMatches, type Match, step } from './find-matches.ts'

export interface FinderOptions {
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** Loads all older pages. */
  readonly loadAll: () => Promise<void>
  /** Brings a match into view. */
  readonly show: (match: Match) => void
  readonly onClose: () => void
}

export interface Finder {
  readonly isOpen: boolean
  /** Changes on each `open`, so that the field selects its text again. */
  readonly openedAt: number
  readonly text: string
  readonly matches: readonly Match[]
  /** The index in `matches`, or -1. */
  readonly current: number
  readonly searching: boolean
  open(): void
  close(): void
  setText(text: string): void
  move(by: 1 | -1): void
}

/** Yields to the window before the next slice. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve))

export function useFinder({ rows, version, loadAll, show, onClose }: FinderOptions): Finder {
  const [openedAt, setOpenedAt] = useState(0)
  const [text, setText] = useState('')
  const [found, setFound] = useState<{ matches: readonly Match[]; current: number; text: string }>(NOTHING)
  const [searching, setSearching] = useState(false)
  const [loading, setLoading] = useState(false)
  // While older pages load, only the rows present are searched. Afterwards one search covers all rows.
  const stamp = loading ? -1 : version
  const isOpen = openedAt > 0
  const latest = useRef({ show, found, rows })
  latest.current = { show, found, rows }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useEffect(() => {
    if (!isOpen) return
    const abort = new AbortController()
    setSearching(true)
    void findMatches(latest.current.rows, text, { signal: abort.signal, pause }).then((matches) => {
      if (matches === null) return
      setSearching(false)
      const before = latest.current.found
      const kept = before.text === text ? indexIn(matches, before.matches[before.current]) : -1
      // The newest match is selected first: the end of the transcript is in view.
      const current = kept === -1 ? matches.length - 1 : kept
      setFound({ matches, current, text })
      const match = matches[current]
      if (kept === -1 && match !== undefined) latest.current.show(match)
    })
    return () => abort.abort()
  }, [isOpen, stamp, text])

  const open = useCallback(() => {
    setOpenedAt((count) => count + 1)
    setLoading(true)
    void loadAll().finally(() => setLoading(false))
  }, [loadAll])
  const close = useCallback(() => {
    setOpenedAt(0)
    setFound(NOTHING)
    onClose()
  }, [onClose])
  const move = useCallback((by: 1 | -1) => {
    const { found, show } = latest.current
    const current = step(found.current, found.matches.length, by)
    setFound({ ...found, current })
    const match = found.matches[current]
    if (match !== undefined) show(match)
  }, [])

  return {
    isOpen,
    openedAt,
    text,
    matches: found.matches,
    current: found.current,
    searching: searching || loading,
    open,
    close,
    setText,
    move,
  }
}

const NOTHING = { matches: [], current: -1, text: '' }

function indexIn(matches: readonly Match[], match: Match | undefined): number {
  if (match === undefined) return -1
  return matches.findIndex((other) => other.key === match.key && other.occurrence === match.occurrence)
}
