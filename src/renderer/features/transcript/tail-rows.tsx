/**
 * The newest rows and the message that streams, in the page as they are. A row is drawn here first, so that
 * a text that streamed simply stays where it is when its message is finished; in a quiet moment the older
 * ones go over to the list of which only what is in sight is drawn.
 */
import { memo, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { TranscriptRow } from '../../../shared/transcript-rows.ts'
import { lastSpoken } from './row-list.tsx'
import { CopyMessage } from './rows/message-rows.tsx'
import { RowView } from './rows/row-view.tsx'
import { LiveOther } from './stream/live-message.tsx'
import type { StreamedTexts } from './stream/streamed-texts.ts'

export interface TailRowsProps {
  readonly agentId: string
  /** All rows; grows in place, `version` says that it did. */
  readonly rows: readonly TranscriptRow[]
  readonly version: number
  /** Where the tail begins. */
  readonly start: number
  /** The blocks that stream: see `SteadyView`. */
  readonly kinds: string
  readonly streamed: StreamedTexts
}

export const TailRows = memo(function TailRows({ agentId, rows, start, kinds, streamed }: TailRowsProps) {
  const spoken = lastSpoken(rows)
  const tail = rows.slice(start).map((row, offset) => {
    const entry = row.kind === 'text' ? streamed.entryOfRow(row.key) : null
    const place = { row: row.key, first: start + offset === 0 }
    return entry === null || row.kind !== 'text' ? (
      <Placed key={row.key} {...place}>
        <RowView row={row} past={start + offset < spoken} />
      </Placed>
    ) : (
      <Placed key={`streamed ${entry.id}`} {...place}>
        <Streamed host={entry.host} text={row.text} />
      </Placed>
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
            <Placed key={`live ${index}`} row={null} first={first}>
              <LiveOther agentId={agentId} index={Number(index)} />
            </Placed>
          ) : (
            <Placed key={`streamed ${entry.id}`} row={null} first={first}>
              <Streamed host={entry.host} text={null} />
            </Placed>
          )
        }),
      ]}
    </>
  )
})

interface PlacedProps {
  /** Null while it is no row yet. */
  readonly row: string | null
  readonly first: boolean
  readonly children: React.ReactNode
}

function Placed({ row, first, children }: PlacedProps) {
  return (
    <div data-row={row ?? undefined} className={first ? '' : 'not-empty:pt-(--row-gap)'}>
      {children}
    </div>
  )
}

/** Where a text stands that is drawn into its own element; `text` is null while it streams. */
function Streamed({ host, text }: { readonly host: HTMLElement; readonly text: string | null }) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (host.parentElement !== place.current) place.current?.append(host)
  }, [host])
  return (
    <div className="group/message relative" data-selectable="">
      <div ref={place} />
      {text !== null && <CopyMessage text={text} />}
    </div>
  )
}

/** Rows that stay in the tail when it is cut, that make it worth cutting, and that are too many to wait. */
const STAY = 10
const ENOUGH = 30
const TOO_MANY = 80

export interface Tail {
  /** The index of the first row of the tail. */
  readonly start: number
  /** Heights of rows that were drawn in the tail before, in px, by key. */
  readonly heights: ReadonlyMap<string, number>
}

/** Where the tail begins: behind what was there when the transcript was opened, later behind what was cut off. */
export function useTail(rows: readonly TranscriptRow[], scroller: RefObject<HTMLElement | null>): Tail {
  const [seq, setSeq] = useState<number | null>(null)
  const heights = useRef(new Map<string, number>())
  const last = rows.at(-1)
  if (seq === null && last !== undefined) setSeq(last.seq + 1)
  let start = seq === null ? rows.length : rows.findLastIndex((row) => row.seq < seq) + 1
  if (rows.length - start > TOO_MANY) start = rows.length - TOO_MANY
  const long = rows.length - start > ENOUGH
  useEffect(() => {
    if (!long) return
    return whenQuiet(() => {
      for (const element of scroller.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])
        heights.current.set(element.dataset['row'] ?? '', element.offsetHeight)
      setSeq(rows[rows.length - STAY]?.seq ?? null)
    })
  }, [long, rows, scroller])
  return { start, heights: heights.current }
}

/** Runs something when the window has nothing else to do; the function that is returned takes it back. */
function whenQuiet(run: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout: 3000 })
  return () => cancelIdleCallback(handle)
}
