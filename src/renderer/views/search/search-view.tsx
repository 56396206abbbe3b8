/** The search in everything that was said: field and filters, the places, and the chosen place in its transcript. */
import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react'
import type { SearchHit } from '../../../shared/search/search.ts'
import { ReadingHistory } from '../../features/conversations/histories.tsx'
import { type FoundConversation, searchOrders } from '../../features/search/found-places.ts'
import { PlaceList } from '../../features/search/place-list.tsx'
import { SearchFacets } from '../../features/search/search-facets.tsx'
import { agentLabel, SearchField, SearchFilters } from '../../features/search/search-field.tsx'
import {
  beginSearch,
  changeQuery,
  countFresh,
  isInHistory,
  locateSoon,
  movePlace,
  openPlace,
  orderBy,
  searchAgain,
  useSearch,
} from '../../features/search/search-store.ts'
import { TranscriptExcerpt } from '../../features/transcript/transcript-excerpt.tsx'
import { keysNow } from '../../stores/keys-store.ts'
import { useStatusText } from '../../stores/overlay-store.ts'
import { leaveView, useRoom } from '../../stores/session-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isEditable, isShortcut } from '../../ui/platform.ts'
import { count, formatSize } from '../../ui/text/format.ts'

const KEY_HINTS = 'J K places · Enter opens · Ctrl Enter pins the panel · Tab filters'

export function SearchView() {
  const field = useRef<HTMLInputElement>(null)
  const room = useRoom()
  const failure = useSearch((state) => state.failure)
  const searched = useSearch((state) => state.searched)
  const damaged = useSearch((state) => state.damaged)
  const status = useSearch((state) => state.status)
  const isSearched = searched.of > 0 && status !== 'idle'
  useStatusText({
    start: isSearched
      ? `${count(searched.conversations, 'conversation')} · ${formatSize(searched.bytes)} searched`
      : null,
    end: room === 'narrow' ? null : KEY_HINTS,
  })
  const focusField = useCallback(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  useEffect(() => {
    beginSearch()
    focusField()
    const timer = setInterval(() => void countFresh(), FRESH)
    return () => clearInterval(timer)
  }, [focusField])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.nativeEvent.isComposing) return
    const act = actionOf(event, focusField)
    if (act === null) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <main
      onKeyDown={onKeyDown}
      data-focus-fallback=""
      tabIndex={-1}
      className="flex h-full min-h-0 min-w-0 flex-col outline-none"
    >
      <h1 className="sr-only">Search in conversations</h1>
      <SearchField field={field} onLeave={leaveView} />
      <SearchFilters />
      <p
        id="search-status"
        role="status"
        className="shrink-0 border-line border-b bg-bg-1 px-3.5 py-1.5 text-bad text-sm empty:hidden"
      >
        {failure}
      </p>
      {damaged > 0 && (
        <p className="shrink-0 border-line border-b bg-bg-1 px-3.5 py-1.5 text-fg-1 text-sm">
          {count(damaged, 'damaged line')} of transcripts could not be read and may have the text too.
        </p>
      )}
      <div className="flex min-h-0 min-w-0 flex-1">
        <SearchFacets />
        <div className="min-w-0 flex-1 border-line border-r" data-stale={failure !== null || undefined}>
          <PlaceList />
        </div>
        <Preview />
      </div>
    </main>
  )
}

/** ms between two looks at what agents at work have written. */
const FRESH = 3000

function actionOf(event: KeyboardEvent, focusField: () => void): (() => void) | null {
  const { key, target } = event
  const is = (...shortcuts: string[]) => shortcuts.some((shortcut) => isShortcut(event, shortcut))
  if (is(keysNow('search') ?? '')) return focusField
  if (is('Escape')) return leaveView
  const { query } = useSearch.getState()
  if (is('Alt C')) return () => changeQuery({ matchCase: !query.matchCase })
  if (is('Alt W')) return () => changeQuery({ wholeWords: !query.wholeWords })
  if (is('Alt R')) return () => changeQuery({ regex: !query.regex })
  const isInResults = target instanceof HTMLElement && target.closest('[data-results]') !== null
  const isInField = isEditable(target)
  // Buttons and menus keep their keys.
  if (!isInResults && !isInField && target !== event.currentTarget) return null
  if (is('ArrowDown')) return () => movePlace(1)
  if (is('ArrowUp')) return () => movePlace(-1)
  if (is('Mod Enter')) return () => void openPlace(true)
  if (is('Enter')) return () => void openPlace(false)
  if (isInField || event.ctrlKey || event.metaKey || event.altKey) return null
  switch (key.toLowerCase()) {
    case 'j':
      return () => movePlace(1)
    case 'k':
      return () => movePlace(-1)
    case 'r':
      return searchAgain
    case 'o':
      return nextOrder
    case '/':
      return focusField
    default:
      return null
  }
}

function nextOrder(): void {
  const at = searchOrders.indexOf(useSearch.getState().order)
  orderBy(searchOrders[(at + 1) % searchOrders.length] ?? 'newest')
}

/** The chosen place in its transcript. */
function Preview() {
  const current = useSearch((state) => state.current)
  const found = useSearch((state) => state.found)
  const total = useSearch((state) => state.counts.total)
  const conversation = found.find(({ id }) => id === current?.conversationId)
  const agent = conversation?.agents.find(({ id }) => id === current?.agentId)
  if (current === null || conversation === undefined || agent === undefined) return null
  const all = found.flatMap((one) => one.agents.flatMap(({ hits }) => hits))
  return (
    <section
      aria-label="Preview"
      className="flex w-[clamp(300px,34vw,476px)] shrink-0 flex-col bg-bg-1 max-[799px]:hidden"
      style={agentStyle(agent.color)}
    >
      <div className="flex h-9 shrink-0 items-center gap-2 border-agent border-t-2 border-b border-b-line px-3 text-sm">
        <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-agent" />
        <span className="shrink-0 font-semibold text-fg-0">{agentLabel(agent.name)}</span>
        <span dir="auto" className="min-w-0 truncate text-fg-2">
          in {conversation.title}
        </span>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden px-3 py-2.5">
        <Excerpt hit={current} conversation={conversation} />
      </div>
      <div className="flex shrink-0 items-center gap-1.5 border-line border-t px-3 py-2">
        <Button variant="primary" onClick={() => void openPlace(false)}>
          Open it there
          <span className="*:border-current/35 *:text-current">
            <Kbd keys="Enter" />
          </span>
        </Button>
        <Button onClick={() => movePlace(1)}>
          Next <Kbd keys="J" />
        </Button>
        <Button variant="quiet" className="max-[1279px]:hidden" onClick={() => movePlace(-1)}>
          Previous <Kbd keys="K" />
        </Button>
        <span className="flex-1" />
        <span className="font-mono text-fg-2 text-xs">
          {all.indexOf(current) + 1} of {total.toLocaleString('en')}
        </span>
      </div>
    </section>
  )
}

interface ExcerptProps {
  readonly hit: SearchHit
  readonly conversation: FoundConversation
}

/** The transcript around a place. Of a history it is there once the history was read. */
function Excerpt({ hit, conversation }: ExcerptProps) {
  const located = useSearch((state) => (state.located?.of === hit ? state.located.answer : null))
  useEffect(() => {
    if (isInHistory(hit)) locateSoon()
  }, [hit])
  const place = located === null && !isInHistory(hit) ? hit : located?.ok ? located.value : null
  if (located !== null && !located.ok)
    return (
      <p role="alert" className="p-3 text-fg-1 text-sm" data-selectable="">
        {located.failure.message}
      </p>
    )
  if (place === null) return <ReadingHistory conversationId={hit.conversationId} />
  const [first] = place.marks
  return (
    <TranscriptExcerpt
      key={`${place.agentId} ${place.sequence}`}
      conversationId={place.conversationId}
      agentId={place.agentId}
      sequence={place.sequence}
      text={first === undefined ? '' : place.line.slice(...first)}
      folder={conversation.folder}
    />
  )
}
