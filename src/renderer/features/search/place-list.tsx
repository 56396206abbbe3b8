/** The places that a search found, by conversation and agent. Virtualized: only visible rows are in the page. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { SearchX, TextSearch } from 'lucide-react'
import { memo, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { type SearchHit, searchedNames } from '../../../shared/search/search.ts'
import {
  type ConversationSummary,
  conversationStates,
  isInState,
} from '../../../shared/state/conversation-summary.ts'
import { useSession } from '../../stores/session-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { Dot, type DotStatus } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatAgo, formatMoment, fullTime } from '../../ui/text/format.ts'
import {
  type AgentHits,
  agentKey,
  type FoundConversation,
  type ResultRow,
  resultRows,
} from './found-places.ts'
import { KIND_ICONS } from './search-facets.tsx'
import { agentLabel } from './search-field.tsx'
import {
  changeQuery,
  choosePlace,
  hasFilters,
  KIND_LABELS,
  openPlace,
  removeFilters,
  searchAgain,
  searchProgram,
  showAllOf,
  useSearch,
} from './search-store.ts'

const HEIGHTS = { conversation: 32, agent: 26, hit: 24, more: 24 } as const

export function PlaceList() {
  const found = useSearch((state) => state.found)
  const opened = useSearch((state) => state.opened)
  const current = useSearch((state) => state.current)
  const rows = useMemo(() => resultRows(found, opened), [found, opened])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => keyOf(rows[index], index),
    estimateSize: (index) => HEIGHTS[rows[index]?.kind ?? 'hit'],
    overscan: 12,
  })
  const at = rows.findIndex((row) => row.kind === 'hit' && row.hit === current)
  useEffect(() => {
    if (at !== -1) virtualizer.scrollToIndex(at, { align: 'auto' })
  }, [virtualizer, at])
  // What stands here without places is no option of a list.
  if (rows.length === 0)
    return (
      <div className="flex h-full min-w-0 flex-col overflow-y-auto">
        <Nothing />
      </div>
    )
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label="Places"
      aria-activedescendant={at === -1 ? undefined : rowId(at)}
      tabIndex={0}
      data-results=""
      className="flex h-full min-w-0 flex-col overflow-y-auto outline-none"
    >
      <div role="presentation" className="relative shrink-0" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index]
          if (row === undefined) return null
          return (
            <div
              key={item.key}
              role="presentation"
              className="absolute left-0 w-full"
              style={{ height: item.size, transform: `translateY(${item.start}px)` }}
            >
              <Row row={row} id={rowId(item.index)} isCurrent={item.index === at} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

const rowId = (index: number): string => `place-${index}`

function keyOf(row: ResultRow | undefined, index: number): string | number {
  switch (row?.kind) {
    case 'conversation':
      return `conversation ${row.conversation.id}`
    case 'agent':
      return `agent ${agentKey(row.agent)}`
    case 'more':
      return `more ${agentKey(row.agent)}`
    default:
      return index
  }
}

interface RowProps {
  readonly row: ResultRow
  readonly id: string
  readonly isCurrent: boolean
}

const Row = memo(function Row({ row, id, isCurrent }: RowProps) {
  switch (row.kind) {
    case 'conversation':
      return <ConversationHead conversation={row.conversation} />
    case 'agent':
      return (
        <div
          className="flex h-full items-center gap-2 px-3.5 pl-4 text-fg-2 text-sm"
          style={agentStyle(row.agent.color)}
        >
          <span aria-hidden="true" className="size-[7px] shrink-0 rounded-full bg-agent" />
          <span className="shrink-0 font-medium text-fg-0">{agentLabel(row.agent.name)}</span>
          <span dir="auto" className="truncate">
            {row.agent.task}
          </span>
        </div>
      )
    case 'hit':
      return <HitRow hit={row.hit} id={id} isCurrent={isCurrent} />
    case 'more':
      return <More agent={row.agent} hidden={row.hidden} lost={row.lost} />
  }
})

function ConversationHead({ conversation }: { readonly conversation: FoundConversation }) {
  const { id, title, updatedAt, places, archived, program } = conversation
  const summary = useSession((state) => state.conversations.find((one) => one.id === id))
  const isListed = useSession((state) => state.listed)
  const fresh = useSearch((state) => state.fresh[id] ?? 0)
  const now = Math.max(useNow(false), updatedAt)
  const isGone = isListed && summary === undefined && program === 'troupe'
  return (
    <div
      className="flex h-full items-center gap-2.5 border-line border-y bg-bg-1 px-3.5 text-sm"
      style={agentStyle('neutral')}
    >
      <Dot status={summary === undefined ? 'completed' : dotOf(summary)} />
      <span dir="auto" className={classNames('truncate font-semibold', isGone ? 'text-fg-2' : 'text-fg-0')}>
        {title === '' ? 'Untitled conversation' : title}
      </span>
      {isGone && <span className="shrink-0 text-fg-2 text-xs">deleted</span>}
      {program !== 'troupe' && <span className="shrink-0 text-fg-2 text-xs">{searchedNames[program]}</span>}
      {archived && <span className="shrink-0 text-fg-2 text-xs">archived</span>}
      {fresh > 0 && (
        <button
          type="button"
          title="Search again"
          onClick={searchAgain}
          className="shrink-0 rounded-sm bg-accent/22 px-1.5 text-fg-0 text-xs"
        >
          {fresh} new
        </button>
      )}
      <span className="flex-1" />
      <span className="shrink-0 font-mono text-fg-2 text-xs">{formatAgo(updatedAt, now)}</span>
      <span className="shrink-0 font-mono text-fg-2 text-xs" title={count(places, 'place')}>
        {places.toLocaleString('en')}
      </span>
    </div>
  )
}

function dotOf(summary: ConversationSummary): DotStatus {
  const state = conversationStates.find((one) => isInState(summary, one)) ?? 'done'
  return state === 'done' ? 'completed' : state
}

const IN_MONO: ReadonlySet<SearchHit['kind']> = new Set(['input', 'output'])

function HitRow({
  hit,
  id,
  isCurrent,
}: {
  readonly hit: SearchHit
  readonly id: string
  readonly isCurrent: boolean
}) {
  const Icon = KIND_ICONS[hit.kind]
  const now = Math.max(useNow(false), hit.at)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the whole view
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      tabIndex={-1}
      onClick={() => choosePlace(hit)}
      onDoubleClick={() => void openPlace(false)}
      className={classNames(
        'grid h-full cursor-default grid-cols-[13px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 pl-8 text-sm',
        isCurrent ? 'bg-bg-3 text-fg-0 shadow-[inset_2px_0_0_var(--accent)]' : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      <span title={hit.tool ?? KIND_LABELS[hit.kind]} className="grid place-items-center text-fg-2">
        <Icon size={12} strokeWidth={1.75} aria-hidden="true" />
        <span className="sr-only">{hit.tool ?? KIND_LABELS[hit.kind]}: </span>
      </span>
      <span dir="auto" className={classNames('truncate', IN_MONO.has(hit.kind) && 'font-mono text-[11.5px]')}>
        {markedLine(hit)}
      </span>
      <span className="font-mono text-fg-2 text-xs" title={fullTime(hit.at)}>
        {formatMoment(hit.at, now)}
      </span>
    </div>
  )
}

/** Characters before the first match that a narrow row shows. */
const LEAD = 48

function markedLine({ line, marks }: SearchHit): ReactNode {
  const parts: ReactNode[] = []
  const first = marks[0]?.[0] ?? 0
  let at = first > LEAD ? line.indexOf(' ', first - LEAD) + 1 || first : 0
  if (at > first) at = first
  if (at > 0) parts.push('…')
  for (const [start, end] of marks) {
    if (start < at) continue
    parts.push(
      line.slice(at, start),
      <mark key={start} className="rounded-[2px] bg-accent/30 px-px text-fg-0">
        {line.slice(start, end)}
      </mark>,
    )
    at = end
  }
  parts.push(line.slice(at))
  return parts
}

interface MoreProps {
  readonly agent: AgentHits
  readonly hidden: number
  readonly lost: number
}

function More({ agent, hidden, lost }: MoreProps) {
  const name = agentLabel(agent.name)
  const className = 'flex h-full w-full items-center px-3.5 pl-[54px] text-left text-fg-2 text-xs'
  if (hidden === 0)
    return (
      <p className={className}>
        {lost.toLocaleString('en')} older of {name}: narrow the search to see them
      </p>
    )
  return (
    <button
      type="button"
      tabIndex={-1}
      onClick={() => showAllOf(agent)}
      className={classNames(className, 'hover:text-fg-0 focus-visible:-outline-offset-2')}
    >
      {(hidden + lost).toLocaleString('en')} more of {name}
    </button>
  )
}

function Nothing() {
  const status = useSearch((state) => state.status)
  const query = useSearch((state) => state.query)
  const isNarrow = useSearch(hasFilters)
  const unasked = useSearch((state) => state.unasked)
  const { of } = useSearch((state) => state.searched)
  if (status === 'failed') return null
  if (status === 'idle')
    return (
      <EmptyState icon={TextSearch} title="Search in everything that was said">
        What you wrote, what agents said and thought, the inputs and outputs of their tools, and their
        messages, in the conversations of all folders.
      </EmptyState>
    )
  if (status === 'searching') return null
  return (
    <EmptyState
      icon={SearchX}
      title="No place has this text"
      actions={
        <>
          {isNarrow && <Button onClick={removeFilters}>Remove filters</Button>}
          {!query.archived && (
            <Button onClick={() => changeQuery({ archived: true })}>Search archived too</Button>
          )}
          {unasked.map(({ program, place }) => (
            <Button
              key={program}
              title={`Let Troupe read ${place}. It writes nothing there.`}
              onClick={() => void searchProgram(program)}
            >
              Search {searchedNames[program]} too
            </Button>
          ))}
          {query.wholeWords && (
            <Button onClick={() => changeQuery({ wholeWords: false })}>Parts of words too</Button>
          )}
        </>
      }
    >
      {of === 0
        ? isNarrow
          ? 'No conversation is in this state.'
          : 'There are no conversations to search.'
        : `${count(of, 'conversation')} searched.`}
    </EmptyState>
  )
}
