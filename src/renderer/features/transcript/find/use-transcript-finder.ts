/** The search of a transcript: loads all pages, opens what hides a match, scrolls to the match. */
import { type RefObject, useCallback, useRef, useState } from 'react'
import type { TranscriptRow } from '../../../../shared/transcript/transcript-row.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { loadAll, transcriptOf } from '../../../stores/transcript-store.ts'
import type { FoldStates } from '../fold-states.ts'
import type { RowListHandle } from '../row-list.tsx'
import { groupKey } from '../rows/call-group.tsx'
import { wholeTextKey } from '../rows/long-text.tsx'
import { wholeOutputKey } from '../rows/output-text.tsx'
import type { RowGroups } from '../rows/row-groups.ts'
import type { Match } from './match-index.ts'
import { type Finder, useFinder } from './use-finder.ts'
import { useMatchMarks } from './use-match-marks.ts'

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
    loadAll: useCallback(() => loadAll(agentId), [agentId]),
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
function foldsOf(row: TranscriptRow | undefined): readonly string[] {
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
