/** The search in one transcript: its state, and its field. It covers all rows, also those not loaded yet. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { transcriptOf } from '../../../stores/transcript-store.ts'
import { FindBar } from '../../../ui/find-bar.tsx'
import type { RowListHandle } from '../row-list.tsx'
import { groupKey } from '../rows/call-group.tsx'
import { wholeTextKey } from '../rows/long-text.tsx'
import { wholeOutputKey } from '../rows/output-text.tsx'
import type { RowGroups } from '../rows/row-groups.ts'
import type { FoldStates } from '../surroundings.ts'
import { type Match, MatchIndex } from './match-index.ts'
import { useMatchMarks } from './use-match-marks.ts'

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

function useFinder(options: FinderOptions): Finder {
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

/** The search of a transcript: loads all pages, opens what hides a match, scrolls to the match. */
interface TranscriptFinderOptions {
  readonly agentId: string
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** Where the rows are shown. */
  readonly groups: RowGroups
  readonly scroller: RefObject<HTMLElement | null>
  readonly list: RefObject<RowListHandle | null>
  readonly folds: FoldStates
  /** Stops following the end. */
  readonly hold: () => void
}

/** Streaming text is searched again after this time, in ms. */
const GROWTH = 300

export function useTranscriptFinder(options: TranscriptFinderOptions): Finder {
  const { agentId, rows, version, groups, scroller, list, folds, hold } = options
  const opened = useRef<readonly string[]>([])
  const [shownAt, setShownAt] = useState<object>({})
  const finder = useFinder({
    rows,
    version,
    liveRows: useCallback(() => liveRows(agentId), [agentId]),
    onGrowth: useCallback((listener: () => void) => watchGrowth(agentId, listener), [agentId]),
    loadAll: useCallback(() => transcriptOf(agentId).loadAll(), [agentId]),
    show: useCallback(
      (match: Match, inBody: boolean) => {
        hold()
        const item = groups.items[groups.itemOf(match.index)]
        const wanted = [
          ...(item?.kind === 'group' ? [groupKey(item.key)] : []),
          ...(inBody ? foldsOf(rows[match.index]) : []),
        ]
        for (const key of opened.current) if (!wanted.includes(key)) folds.set(key, false)
        const fresh = wanted.filter((key) => folds.get(key) !== true)
        for (const key of fresh) folds.set(key, true)
        opened.current = [...opened.current.filter((key) => wanted.includes(key)), ...fresh]
        setShownAt({})
      },
      [rows, groups, hold, folds],
    ),
    onClose: useCallback(() => {
      // What the last match opened stays open: the user looks at it.
      opened.current = []
      scroller.current?.focus({ preventScroll: true })
    }, [scroller]),
  })
  useMatchMarks({
    scroller,
    text: finder.isOpen ? finder.text : '',
    current: finder.current,
    shownAt,
    showRow: useCallback((match: Match) => list.current?.showRow(groups.itemOf(match.index)), [list, groups]),
  })
  return finder
}

/** The keys of the parts that hide text of a row. */
export function foldsOf(row: TranscriptRow | undefined): readonly string[] {
  switch (row?.kind) {
    case 'tool':
      return [row.key, wholeOutputKey(row.toolUseId), wholeTextKey(row.key)]
    case 'text':
    case 'user':
    case 'thinking':
      return [row.key, wholeTextKey(row.key)]
    case 'notice':
    case 'instructions':
      return [row.key]
    case 'agents': {
      const { childrenByToolUse } = useConversation.getState()
      return row.toolUseIds.flatMap((id) => {
        const key = `${row.key}:${childrenByToolUse.get(id)}`
        return [key, wholeTextKey(key)]
      })
    }
    default:
      return []
  }
}

/** The streaming texts as rows. */
function liveRows(agentId: string): readonly TranscriptRow[] {
  return transcriptOf(agentId)
    .getView()
    .live.flatMap(({ kind, index, text }) =>
      kind === 'text' ? [{ kind, key: liveKey(index), seq: Number.MAX_SAFE_INTEGER, at: 0, text }] : [],
    )
}

/** The key of a streaming block in the page. */
export const liveKey = (index: number): string => `live:${index}`

function watchGrowth(agentId: string, listener: () => void): () => void {
  const { subscribe, getView } = transcriptOf(agentId)
  let timer: ReturnType<typeof setTimeout> | null = null
  let { live } = getView()
  const unsubscribe = subscribe(() => {
    if (timer !== null || getView().live === live) return
    timer = setTimeout(() => {
      timer = null
      live = getView().live
      listener()
    }, GROWTH)
  })
  return () => {
    unsubscribe()
    if (timer !== null) clearTimeout(timer)
  }
}

interface TranscriptFindBarProps {
  readonly finder: Finder
  /** The name of the transcript's agent. */
  readonly agentName: string
}

export function TranscriptFindBar({ finder, agentName }: TranscriptFindBarProps) {
  const { text, setText, total, number, searching, move, close, openedAt } = finder
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second `open` selects the text again
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [openedAt])
  useClosedByEscape(close)
  return (
    <FindBar
      label={`Find in the transcript of ${agentName}`}
      fieldLabel={`Find in ${agentName}`}
      placeholder="Find"
      className="absolute top-1.5 right-2 z-10 flex items-center gap-0.5 rounded-md border border-line-strong bg-bg-2 p-1 shadow-popup"
      fieldClassName="w-36"
      statusClassName="min-w-16"
      onText={setText}
      onMove={move}
      onClose={close}
      {...{ field, text, total, number, searching }}
    />
  )
}

/** Escape closes the search wherever the focus is, unless something above the search handled the key. */
function useClosedByEscape(close: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
      if (event.target instanceof Element && event.target.closest('[role="dialog"], [role="menu"]')) return
      event.preventDefault()
      close()
    }
    // On the document: after the parts of the window, before the keys of the whole window.
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [close])
}
