/** Scrolls a transcript to the place that another view asked for, and marks the row until the user clicks. */
import { type RefObject, useEffect, useRef } from 'react'
import { type Place, placeShown, usePlaceIn } from '../../stores/shown-place.ts'
import { transcriptOf } from '../../stores/transcript-store.ts'
import { foldCase, positionsOf, searchText } from './find/search-text.ts'
import { foldsOf } from './find/use-finder.tsx'
import { bringIntoView, clearMatches, rowOf, showMatches } from './find/use-match-marks.ts'
import type { RowListHandle } from './row-list.tsx'
import { groupKey } from './rows/call-group.tsx'
import type { RowGroups } from './rows/row-groups.ts'
import type { FoldStates } from './surroundings.ts'

interface PlaceOptions {
  readonly agentId: string
  /** Whether the newest page is loaded. */
  readonly isReady: boolean
  readonly groups: RowGroups
  readonly scroller: RefObject<HTMLElement | null>
  readonly list: RefObject<RowListHandle | null>
  readonly folds: FoldStates
  /** Stops following the end. */
  readonly hold: () => void
}

export function usePlace(options: PlaceOptions): void {
  const { agentId, isReady, scroller } = options
  const place = usePlaceIn(agentId)
  const latest = useRef(options)
  latest.current = options
  const end = useRef(() => {})
  useEffect(() => () => end.current(), [])
  useEffect(() => {
    if (place === null || !isReady) return
    let isOver = false
    end.current()
    void transcriptOf(agentId)
      .loadBackTo(place.sequence)
      .then(() => {
        if (!isOver) end.current = showIn(place, latest)
      })
    // After the place was shown, the mark stays until the user clicks.
    return () => {
      isOver = true
    }
  }, [place, isReady, agentId])
  useEffect(() => {
    const element = scroller.current
    const onPress = () => end.current()
    element?.addEventListener('pointerdown', onPress)
    return () => element?.removeEventListener('pointerdown', onPress)
  }, [scroller])
}

/** Opens what hides the place, scrolls there and marks it. @returns the function that removes the mark */
function showIn(place: Place, latest: RefObject<PlaceOptions>): () => void {
  const { agentId, scroller, folds, hold } = latest.current
  const transcript = transcriptOf(agentId)
  const { text = '' } = place
  const row = rowAt(place)
  if (row === undefined) {
    placeShown(place)
    return () => {}
  }
  hold()
  if (text !== '' && !isShown(text, searchText(row).head))
    for (const key of foldsOf(row)) if (folds.get(key) !== true) folds.set(key, true)
  const itemNow = () => {
    const { groups } = latest.current
    return groups.itemOf(transcript.getView().rows.findIndex(({ key }) => key === row.key))
  }
  let marked: HTMLElement | null = null
  const mark = () => {
    const item = latest.current.groups.items[itemNow()]
    if (item?.kind === 'group' && folds.get(groupKey(item.key)) !== true) folds.set(groupKey(item.key), true)
    const element = scroller.current === null ? null : rowOf(scroller.current, row.key)
    if (element !== marked) marked?.removeAttribute('data-place')
    marked = element
    element?.setAttribute('data-place', '')
    if (element === null || text === '') return null
    return showMatches(place, { elements: [element], text, current: { element, occurrence: 0 } })
  }
  const stop = bringIntoView(scroller, {
    rowKey: row.key,
    mark,
    showRow: () => latest.current.list.current?.showRow(itemNow()),
    onDone: () => placeShown(place),
  })
  // The list draws the row anew when it comes into view again.
  const observer = new MutationObserver(mark)
  if (scroller.current) observer.observe(scroller.current, { childList: true, subtree: true })
  return () => {
    stop()
    observer.disconnect()
    clearMatches(place)
    marked?.removeAttribute('data-place')
    placeShown(place)
  }
}

/** The row of a place: of several rows of one event, the one with the text. */
function rowAt({ agentId, sequence, text = '' }: Place) {
  const transcript = transcriptOf(agentId)
  const { rows } = transcript.getView()
  const all = transcript.rowsOfEvent(sequence).flatMap((index) => rows[index] ?? [])
  const withText = all.find((row) => {
    const { head, body } = searchText(row)
    return text !== '' && isShown(text, `${head}\0${body}`)
  })
  return withText ?? all[0]
}

const isShown = (text: string, within: string): boolean => positionsOf(foldCase(text), within).length > 0
