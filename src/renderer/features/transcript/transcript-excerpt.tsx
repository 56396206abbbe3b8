/** Parts of a transcript: around one event, for previews, or one row. They are read once, and do not follow the agent. */
import { useEffect, useRef, useState } from 'react'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { TranscriptRow } from '../../../shared/events/transcript-row.ts'
import { TranscriptRows } from '../../../shared/transcript/transcript-rows.ts'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { foldCase, positionsOf, searchText } from './find/search-text.ts'
import { foldsOf } from './find/use-finder.tsx'
import { clearMatches, showMatches } from './find/use-match-marks.ts'
import { RowView } from './rows/row-view.tsx'
import { SurroundingsContext, useAgentSurroundings } from './surroundings.ts'

interface TranscriptExcerptProps {
  readonly conversationId: string
  readonly agentId: string
  /** The event in the middle. */
  readonly sequence: number
  /** Highlighted in the row of the event; empty: nothing is. */
  readonly text: string
  /** The folder to which file references are relative. */
  readonly folder: string
}

/** Events before and after the one in the middle. */
const BEFORE = 24
const AFTER = 16

export function TranscriptExcerpt(props: TranscriptExcerptProps) {
  const { agentId, sequence, text, folder } = props
  const loaded = useEvents(props)
  const box = useRef<HTMLDivElement>(null)
  const surroundings = useAgentSurroundings({ agentId, folder, openAgent: null, onToggle: nothing })
  const rows = loaded.kind === 'events' ? TranscriptRows.from(loaded.events) : null
  const marked =
    rows === null || loaded.kind !== 'events' ? null : rowWith(rows, loaded.events, sequence, text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each place is shown once its rows are there
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('[data-place]')
    if (!row) return
    const range = showMatches(box, { elements: [row], text, current: { element: row, occurrence: 0 } })
    // The question of a call shows nothing here: what led to it is above.
    const seen = row.firstChild === null ? (row.previousElementSibling ?? row) : row
    if (range === null || row.offsetHeight < TALL) seen.scrollIntoView({ block: 'center' })
    else range.startContainer.parentElement?.scrollIntoView({ block: 'center' })
    return () => clearMatches(box)
  }, [loaded, text])
  if (loaded.kind === 'loading')
    return (
      <p className="flex items-center gap-2 p-3 text-fg-2 text-sm">
        <Spinner /> Loading
      </p>
    )
  if (rows === null)
    return (
      <p role="alert" className="p-3 text-fg-1 text-sm" data-selectable="">
        {loaded.kind === 'failed' ? loaded.message : ''}
      </p>
    )
  if (marked !== null)
    for (const key of foldsOf(marked))
      if (surroundings.folds.get(key) === undefined) surroundings.folds.set(key, true)
  return (
    <SurroundingsContext value={surroundings}>
      <div ref={box} className="flex flex-col gap-2">
        {rows.rows.map((row) => (
          <div key={row.key} className="empty:hidden" {...(row === marked && { 'data-place': '' })}>
            <RowView row={row} past />
          </div>
        ))}
      </div>
    </SurroundingsContext>
  )
}

const nothing = () => {}

/** px. Of a taller row, the match is scrolled to. */
const TALL = 400

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'events'; readonly events: readonly AgentEvent[] }
  | { readonly kind: 'failed'; readonly message: string }

const LOADING: Loaded = { kind: 'loading' }

function useEvents({ conversationId, agentId, sequence }: TranscriptExcerptProps): Loaded {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly value: Loaded }>()
  const key = `${agentId} ${sequence}`
  useEffect(() => {
    let isOver = false
    const page = { conversationId, agentId, before: sequence + AFTER, limit: BEFORE + AFTER }
    void command('agent.transcript', page).then((answer) => {
      if (isOver) return
      const value: Loaded = answer.ok
        ? { kind: 'events', events: answer.value.events }
        : { kind: 'failed', message: answer.failure.message }
      setLoaded({ key, value })
    })
    return () => {
      isOver = true
    }
  }, [conversationId, agentId, sequence, key])
  return loaded?.key === key ? loaded.value : LOADING
}

/** The row of the event; of several, the one with the text. */
function rowWith(rows: TranscriptRows, events: readonly AgentEvent[], sequence: number, text: string) {
  const event = events.findLast(({ seq }) => seq <= sequence)
  const all = event === undefined ? [] : rows.changedBy(event).flatMap((index) => rows.rows[index] ?? [])
  const wanted = foldCase(text)
  const withText = all.find((row) => {
    const { head, body } = searchText(row)
    return positionsOf(wanted, `${head}\0${body}`).length > 0
  })
  return withText ?? all[0] ?? null
}

interface SingleRowProps {
  readonly agentId: string
  readonly row: TranscriptRow
}

/** One row of a transcript alone. */
export function SingleRow({ agentId, row }: SingleRowProps) {
  const folder = useSession((state) => state.folder?.path ?? '')
  const surroundings = useAgentSurroundings({ agentId, folder, openAgent: null, onToggle: nothing })
  return (
    <SurroundingsContext value={surroundings}>
      <RowView row={row} past />
    </SurroundingsContext>
  )
}
