/** The state of a search in one transcript. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { TranscriptRow } from '../../../../shared/transcript/transcript-row.ts'
import { type Match, MatchIndex } from './match-index.ts'

interface FinderOptions {
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** The messages that stream. */
  readonly liveRows: () => readonly TranscriptRow[]
  /** Calls back when streaming messages grow, until the returned function is called. */
  readonly onGrowth: (listener: () => void) => () => void
  /** Loads all older pages. */
  readonly loadAll: () => Promise<void>
  /** Brings a match into view. `inBody`: its row must be open. */
  readonly show: (match: Match, inBody: boolean) => void
  readonly onClose: () => void
}

export interface Finder {
  readonly isOpen: boolean
  /** Changes on each `open`, so that the field selects its text again. */
  readonly openedAt: number
  readonly text: string
  readonly total: number
  readonly current: Match | null
  /** The number of the current match, from 1; 0 without a match. */
  readonly number: number
  readonly searching: boolean
  open(): void
  close(): void
  setText(text: string): void
  move(by: 1 | -1): void
}

interface Found {
  readonly total: number
  readonly current: Match | null
  readonly number: number
}

/** Yields to the window before the next slice. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve))

export function useFinder(options: FinderOptions): Finder {
  const { version, loadAll, onGrowth, onClose } = options
  const [openedAt, setOpenedAt] = useState(0)
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found>(NOTHING)
  const [searching, setSearching] = useState(false)
  const [loading, setLoading] = useState(false)
  const [growth, setGrowth] = useState(0)
  const index = useRef(new MatchIndex(''))
  const isOpen = openedAt > 0
  const latest = useRef({ ...options, current: found.current })
  latest.current = { ...options, current: found.current }

  const select = useCallback((match: Match | null, show: boolean) => {
    latest.current.current = match
    setFound({
      total: index.current.total,
      current: match,
      number: match === null ? 0 : index.current.numberOf(match),
    })
    if (show && match !== null) latest.current.show(match, index.current.isInBody(match))
  }, [])

  // While older pages load, only the rows present are searched. Afterwards one search covers all rows.
  const stamp = loading ? -1 : version
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useEffect(() => {
    if (!isOpen) return
    const isNew = index.current.text !== text
    if (isNew) index.current = new MatchIndex(text)
    const abort = new AbortController()
    setSearching(true)
    const { rows, liveRows, current } = latest.current
    void index.current.update(rows, liveRows(), { signal: abort.signal, pause }).then((done) => {
      if (!done || abort.signal.aborted) return
      setSearching(false)
      const kept = isNew ? null : index.current.find(latest.current.current ?? current)
      // The newest match is selected first: the end of the transcript is in view.
      select(kept ?? index.current.last, kept === null)
    })
    return () => abort.abort()
  }, [isOpen, stamp, growth, text, select])

  useEffect(() => {
    if (!isOpen) return
    return onGrowth(() => setGrowth((count) => count + 1))
  }, [isOpen, onGrowth])

  const open = useCallback(() => {
    setOpenedAt((count) => count + 1)
    setLoading(true)
    void loadAll().finally(() => setLoading(false))
  }, [loadAll])
  const close = useCallback(() => {
    setOpenedAt(0)
    setFound(NOTHING)
    index.current = new MatchIndex('')
    onClose()
  }, [onClose])
  const move = useCallback(
    (by: 1 | -1) => select(index.current.next(latest.current.current, by), true),
    [select],
  )

  return {
    isOpen,
    openedAt,
    text,
    ...found,
    searching: searching || loading,
    open,
    close,
    setText,
    move,
  }
}

const NOTHING: Found = { total: 0, current: null, number: 0 }
