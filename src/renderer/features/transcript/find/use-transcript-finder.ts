/** The search of a transcript: loads all pages, opens the row that hides a match, scrolls to it. */
import { type RefObject, useCallback, useRef } from 'react'
import type { TranscriptRow } from '../../../../shared/transcript-row.ts'
import { loadAll } from '../../../stores/transcript-store.ts'
import type { FoldStates } from '../fold-states.ts'
import type { RowListHandle } from '../row-list.tsx'
import { groupKey } from '../rows/call-group.tsx'
import type { RowGroups } from '../rows/row-groups.ts'
import type { Match } from './find-matches.ts'
import { type Finder, useFinder } from './use-finder.ts'
import { useMatchMarks } from './use-match-marks.ts'

export interface TranscriptFinderOptions {
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

export function useTranscriptFinder({
  agentId,
  rows,
  version,
  groups,
  scroller,
  list,
  folds,
  hold,
}: TranscriptFinderOptions): Finder {
  const openedRow = useRef<string | null>(null)
  const finder = useFinder({
    rows,
    version,
    loadAll: useCallback(() => loadAll(agentId), [agentId]),
    show: useCallback(
      (match: Match) => {
        hold()
        const shownIn = groups.itemOf(match.index)
        const item = groups.items[shownIn]
        if (item?.kind === 'group') folds.set(groupKey(item.key), true)
        openRow(rows[match.index], folds, openedRow)
        const shown = scroller.current?.querySelector(`[data-row="${CSS.escape(match.key)}"]`)
        if (shown) shown.scrollIntoView({ block: 'center' })
        else list.current?.showRow(shownIn)
      },
      [rows, groups, hold, folds, scroller, list],
    ),
    onClose: useCallback(() => scroller.current?.focus({ preventScroll: true }), [scroller]),
  })
  useMatchMarks(scroller, finder.isOpen ? finder.text : '', finder.matches[finder.current] ?? null)
  return finder
}

/** Opens the folded row of a match, and closes the row that was opened for the previous match. */
function openRow(
  row: TranscriptRow | undefined,
  folds: FoldStates,
  openedRow: { current: string | null },
): void {
  if (openedRow.current !== null && openedRow.current !== row?.key) folds.set(openedRow.current, false)
  if (openedRow.current !== row?.key) openedRow.current = null
  const folded =
    row?.kind === 'tool' || row?.kind === 'thinking' || row?.kind === 'notice' || row?.kind === 'user'
  if (!folded || folds.get(row.key) === true) return
  folds.set(row.key, true)
  openedRow.current = row.key
}
