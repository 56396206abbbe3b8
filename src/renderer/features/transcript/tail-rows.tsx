/**
 * The newest rows and the streaming message, without virtualization. A new row renders here first, so that streamed text
 * stays in place when its message is finished. When the window is idle, older rows move to the virtual list.
 */
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { PartBoundary } from '../../ui/part-boundary.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { liveKey } from './find/use-finder.tsx'
import { lastSpoken } from './row-list.tsx'
import { CopyMessage, MODEL_TEXT } from './rows/message-rows.tsx'
import type { DisplayRow } from './rows/row-groups.ts'
import { RowView } from './rows/row-view.tsx'
import { hasSelection } from './selection/keep-selection.tsx'
import { LiveOther } from './stream/live-message.tsx'
import type { StreamedTexts } from './stream/streamed-texts.ts'
import { TAKEN_OUT, useTakenOutFrom } from './surroundings.ts'
import { whenQuiet } from './when-quiet.ts'

interface TailRowsProps {
  readonly agentId: string
  /** All rows. Grows in place; `version` changes each time. */
  readonly rows: readonly DisplayRow[]
  readonly version: number
  /** The index of the tail's first row. */
  readonly start: number
  /** The streaming blocks: see `SteadyView`. */
  readonly kinds: string
  readonly streamed: StreamedTexts
}

export const TailRows = memo(function TailRows({ agentId, rows, start, kinds, streamed }: TailRowsProps) {
  const spoken = lastSpoken(rows)
  const takenOutFrom = useTakenOutFrom(agentId)
  const tail = rows.slice(start).map((row, offset) => {
    const entry = row.kind === 'text' ? streamed.entryOfRow(row.key) : null
    const position = { row: row.key, first: start + offset === 0, isTakenOut: row.seq >= takenOutFrom }
    return entry === null || row.kind !== 'text' ? (
      <Positioned key={row.key} {...position}>
        <RowView row={row} past={start + offset < spoken} />
      </Positioned>
    ) : (
      <Positioned key={`streamed ${entry.id}`} {...position}>
        <Streamed host={entry.host} text={row.text} />
      </Positioned>
    )
  })
  const live = kinds === '' ? [] : kinds.split(',')
  return (
    <>
      {[
        ...tail,
        ...live.map((one, at) => {
          const [index, kind] = one.split(' ')
          const entry = kind === 'text' ? streamed.entryOfLive(Number(index)) : null
          const first = rows.length === 0 && at === 0
          return entry === null ? (
            <Positioned key={`live ${index}`} row={liveKey(Number(index))} first={first}>
              <PartBoundary fallback={() => null}>
                <LiveOther agentId={agentId} index={Number(index)} />
              </PartBoundary>
            </Positioned>
          ) : (
            <Positioned key={`streamed ${entry.id}`} row={liveKey(Number(index))} first={first}>
              <Streamed host={entry.host} text={null} />
            </Positioned>
          )
        }),
      ]}
    </>
  )
})

interface PositionedProps {
  /** The key of the row, or of the streaming block. */
  readonly row: string
  readonly first: boolean
  readonly isTakenOut?: boolean
  readonly children: React.ReactNode
}

function Positioned({ row, first, isTakenOut = false, children }: PositionedProps) {
  return (
    <div data-row={row} className={classNames(!first && 'not-empty:pt-(--row-gap)', isTakenOut && TAKEN_OUT)}>
      {children}
    </div>
  )
}

/** The position of a text that renders into its own element; `text` is null while it streams. */
function Streamed({ host, text }: { readonly host: HTMLElement; readonly text: string | null }) {
  const position = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (host.parentElement !== position.current) position.current?.append(host)
  }, [host])
  return (
    <div className={MODEL_TEXT} data-selectable="">
      <div ref={position} />
      {text !== null && <CopyMessage text={text} />}
    </div>
  )
}

/** Rows kept in the tail when it is cut, rows at which cutting is worthwhile, and rows at which cutting can't wait. */
const STAY = 10
const ENOUGH = 30
const TOO_MANY = 80
const TOO_MANY_SELECTED = 400

interface Tail {
  /** The index of the first row of the tail. */
  readonly start: number
  /** Heights of rows that were in the tail before, in px, by key. */
  readonly heights: ReadonlyMap<string, number>
}

/** The start of the tail: after the rows present at opening, later after the rows moved to the list. */
export function useTail(rows: readonly DisplayRow[], scroller: RefObject<HTMLElement | null>): Tail {
  const [seq, setSeq] = useState<number | null>(null)
  const heights = useRef(new Map<string, number>())
  const last = rows.at(-1)
  if (seq === null && last !== undefined) setSeq(last.seq + 1)
  let start = seq === null ? rows.length : rows.findLastIndex((row) => row.seq < seq) + 1
  // A selection would be lost if its row moved.
  const most = hasSelection(scroller.current) ? TOO_MANY_SELECTED : TOO_MANY
  if (rows.length - start > most) start = rows.length - most
  const long = rows.length - start > ENOUGH
  useEffect(() => {
    if (!long) return
    return whenQuiet(() => {
      if (hasSelection(scroller.current)) return
      for (const element of scroller.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])
        heights.current.set(element.dataset['row'] ?? '', element.offsetHeight)
      setSeq(rows[rows.length - STAY]?.seq ?? null)
    }, 3000)
  }, [long, rows, scroller])
  return { start, heights: heights.current }
}
