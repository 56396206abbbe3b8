/** The search in everything that was said: its query, what it has found so far, and the place that is chosen. */

import { create } from 'zustand'
import {
  type HistoryProgram,
  type HistorySource,
  historyProgramOf,
} from '../../../shared/histories/history.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { namedTime } from '../../../shared/kernel/times.ts'
import {
  plainQuery,
  type SearchCounts,
  type SearchHit,
  type SearchKind,
  type SearchPart,
  type SearchQuery,
  searchedPrograms,
  searchKinds,
} from '../../../shared/search/search.ts'
import {
  type ConversationStateName,
  conversationStates,
  isInState,
} from '../../../shared/state/conversation-summary.ts'
import { command } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { changeSettings } from '../../stores/settings-store.ts'
import { showPlace } from '../../stores/shown-place.ts'
import { DelayedCall, elapsedMs, newKey, timeNow } from '../../ui/machine.ts'
import { folderName } from '../../ui/text/format.ts'
import {
  type AgentHits,
  agentKey,
  type FoundConversation,
  resultRows,
  type SearchOrder,
  sortFound,
} from './found-places.ts'

interface SearchState {
  readonly query: SearchQuery
  /** Only conversations in this state when the search begins; null: in any. */
  readonly only: ConversationStateName | null
  readonly order: SearchOrder
  /** The search that goes on; null: none does. */
  readonly searchId: string | null
  /** `idle`: there is no text. */
  readonly status: 'idle' | 'searching' | 'done' | 'failed'
  readonly failure: string | null
  /** In the chosen order. */
  readonly found: readonly FoundConversation[]
  readonly counts: SearchCounts
  readonly searched: SearchPart['searched']
  readonly damaged: number
  readonly end: SearchPart['end']
  /** ms until the first places, or until the end without any. */
  readonly ms: number | null
  /** ms since the epoch: what was written later was not searched. */
  readonly startedAt: number
  /** The agents of which all hits are shown, as `agentKey` names them. */
  readonly opened: ReadonlySet<string>
  readonly current: SearchHit | null
  /** The event of the chosen place, if that is in a history, or why there is none; null: it was not looked for yet. */
  readonly located: { readonly of: SearchHit; readonly answer: Result<SearchHit> } | null
  /** What other programs keep here, and the user was not asked about yet. */
  readonly unasked: readonly HistorySource[]
  /** By conversation: places that were written since the search. */
  readonly fresh: Readonly<Record<string, number>>
}

const NO_COUNTS: SearchCounts = { total: 0, byAgent: {}, byKind: {}, byFolder: {}, byProgram: {}, byDay: {} }
const NOTHING = {
  ...{ failure: null, found: [], counts: NO_COUNTS, damaged: 0, end: null, ms: null },
  ...{ searched: { conversations: 0, of: 0, bytes: 0 }, opened: new Set<string>(), current: null, fresh: {} },
  located: null,
} satisfies Partial<SearchState>

export const useSearch = create<SearchState>()(() => ({
  ...NOTHING,
  query: plainQuery(''),
  only: null,
  order: 'newest',
  searchId: null,
  status: 'idle',
  startedAt: 0,
  unasked: [],
}))

const { getState: get, setState: set } = useSearch

/** Lists what was found in this order, from its first place. */
export function orderBy(order: SearchOrder): void {
  const { found, query } = get()
  const sorted = sortFound(found, order, query.text)
  set({ order, found: sorted, current: firstPlace(sorted) })
}

const firstPlace = (found: readonly FoundConversation[]) => found[0]?.agents[0]?.hits[0] ?? null

/** Narrows the search to conversations in a state; null: in any. */
export function onlyInState(only: ConversationStateName | null): void {
  set({ only })
  void run()
}

/** Prepares searches, and takes the text that is selected on the page as the query, if it is one line. */
export function beginSearch(): void {
  void command('search.prepare', {})
  void command('history.list', {}).then((answer) => {
    if (answer.ok)
      set({ unasked: answer.value.filter(({ isFound, reading }) => isFound && reading === 'ask') })
  })
  const selected = (window.getSelection()?.toString() ?? '').trim()
  if (selected !== '' && selected.length <= LONGEST_SELECTION && !selected.includes('\n'))
    changeQuery({ text: selected, regex: false })
}

const LONGEST_SELECTION = 200

/** Changes the query and searches anew, at the latest when the user stops typing for a moment. */
export function changeQuery(change: Partial<SearchQuery>): void {
  const query = { ...get().query, ...change }
  set({ query })
  typed.cancel()
  if (change.text !== undefined && query.text.trim() !== '') typed.schedule()
  else void run()
}

/** ms after the last key. */
const typed = new DelayedCall(() => void run(), 90)

/** Searches again, also in what was written since. */
export const searchAgain = (): void => void run()

/** Takes away what narrows the search beside the text. */
export function removeFilters(): void {
  set({ only: null })
  changeQuery(NO_FILTERS)
}

/** Lets Troupe read what a program keeps, from now on, and searches there too. */
export async function searchProgram(program: HistoryProgram): Promise<void> {
  const { histories } = useSession.getState().settings
  const answer = await changeSettings({ histories: { ...histories, [program]: true } })
  if (!answer.ok) return showFailure(answer.failure)
  set(({ unasked }) => ({ unasked: unasked.filter((source) => source.program !== program) }))
  searchAgain()
}

export const NO_FILTERS: Partial<SearchQuery> = {
  ...{ agents: [], tools: [], folders: [], kinds: [], programs: [], since: null, until: null },
}

export const hasFilters = ({ query, only }: Pick<SearchState, 'query' | 'only'>): boolean =>
  only !== null ||
  [query.agents, query.tools, query.folders, query.kinds, query.programs].some(({ length }) => length > 0) ||
  query.since !== null ||
  query.until !== null

async function run(): Promise<void> {
  const { query, only, searchId: before } = get()
  const { conversations } = useSession.getState()
  const ids = only === null ? [] : conversations.filter((one) => isInState(one, only)).map(({ id }) => id)
  if (before !== null) void command('search.end', { searchId: before })
  if (query.text.trim() === '') {
    set({ ...NOTHING, status: 'idle', searchId: null })
    return
  }
  const searchId = newKey()
  const begun = elapsedMs()
  set({ searchId, status: 'searching', failure: null, startedAt: timeNow(), fresh: {} })
  if (only !== null && ids.length === 0) {
    set({ ...NOTHING, status: 'done', searchId: null, end: 'all', ms: 0 })
    return
  }
  let answer = await command('search.start', { searchId, query: { ...query, conversations: ids } })
  let isFirst = true
  for (;;) {
    if (get().searchId !== searchId) return
    if (!answer.ok) {
      // What was found before stays readable while the user corrects an expression.
      set({ status: 'failed', failure: answer.failure.message, searchId: null })
      return
    }
    take(answer.value, isFirst, elapsedMs() - begun)
    isFirst = false
    if (answer.value.end !== null) break
    answer = await command('search.next', { searchId })
  }
  set({ status: 'done', searchId: null })
}

function take(part: SearchPart, isFirst: boolean, ms: number): void {
  const { counts, searched, damaged, end } = part
  const more = part.conversations.map((conversation): FoundConversation => {
    const agents = part.agents
      .filter(({ conversationId }) => conversationId === conversation.id)
      .map((agent) => ({ ...agent, hits: part.hits.filter(({ agentId }) => agentId === agent.id) }))
    return { ...conversation, agents, places: agents.reduce((sum, { places }) => sum + places, 0) }
  })
  const before = isFirst ? NOTHING : get()
  const { order, query } = get()
  const found = sortFound([...before.found, ...more], order, query.text)
  const isFirstChosen = before.current === firstPlace(before.found)
  set({
    ...(isFirst && NOTHING),
    ...{ found, counts, searched, damaged, end },
    ms: before.ms ?? (found.length > 0 || end !== null ? ms : null),
    current: isFirstChosen ? firstPlace(found) : before.current,
  })
}

/** Chooses the place before or after the chosen one, of those that are shown. */
export function movePlace(by: 1 | -1): void {
  const { found, opened, current } = get()
  const hits = resultRows(found, opened).flatMap((row) => (row.kind === 'hit' ? [row.hit] : []))
  const at = current === null ? -1 : hits.indexOf(current)
  const next = hits[Math.max(0, Math.min(hits.length - 1, at + by))]
  if (next !== undefined) set({ current: next })
}

export function choosePlace(hit: SearchHit): void {
  set({ current: hit })
}

/** Shows all kept hits of an agent. */
export function showAllOf(agent: AgentHits): void {
  set(({ opened }) => ({ opened: new Set([...opened, agentKey(agent)]) }))
}

/** Whether an event has to be looked for: a history is read where its program keeps it, and becomes events only then. */
export const isInHistory = ({ conversationId }: SearchHit): boolean =>
  historyProgramOf(conversationId) !== null

/** Looks for the event of the chosen place in a history, when the user rests there. */
export const locateSoon = (): void => resting.schedule()

/** ms after the last move. */
const resting = new DelayedCall(() => void locate(), 150)

async function locate(): Promise<Result<SearchHit> | null> {
  const { current, query, located } = get()
  if (current === null) return null
  if (!isInHistory(current)) return ok(current)
  if (located?.of === current && located.answer.ok) return located.answer
  const { conversationId, agentId, at, kind, line } = current
  const answer = await command('search.place', { query, place: { conversationId, agentId, at, kind, line } })
  if (get().current !== current) return null
  set({ located: { of: current, answer } })
  return answer
}

/** Opens the chosen place in its conversation. `pin`: in a panel that stays. */
export async function openPlace(pin: boolean): Promise<void> {
  resting.cancel()
  const { view } = useSession.getState()
  const located = await locate()
  // The user may have gone on meanwhile.
  if (located === null || useSession.getState().view !== view) return
  if (!located.ok) return showFailure(located.failure)
  const { conversationId, agentId, sequence, line, marks } = located.value
  const [first] = marks
  const text = first === undefined ? '' : line.slice(...first)
  await showPlace({ conversationId, agentId, sequence, text }, { pin })
}

/** Adds or removes a value of a list of the query. */
export function toggleFilter<K extends 'agents' | 'tools' | 'folders' | 'kinds' | 'programs'>(
  key: K,
  value: SearchQuery[K][number],
): void {
  const values: readonly string[] = get().query[key]
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
  changeQuery({ [key]: next })
}

// Filters that are typed, such as `agent:Explore`.

const TYPED = /(?:^|\s)(agent|tool|kind|folder|program|state|since|until):(\S+)(?=\s)/

/** The query after the filters in a typed text were taken out of it. A filter counts once a space follows it. */
export function withTypedFilters(query: SearchQuery, text: string, now: number): Partial<SearchQuery> {
  const found = TYPED.exec(text)
  if (query.regex || found === null) return { text }
  const [whole, key, value = ''] = found
  const rest = text.slice(0, found.index) + text.slice(found.index + whole.length)
  const change = filterOf(query, key as string, value, now)
  if (change === null) return { text }
  return { ...change, ...withTypedFilters({ ...query, ...change }, rest.trimStart(), now) }
}

function filterOf(query: SearchQuery, key: string, value: string, now: number): Partial<SearchQuery> | null {
  switch (key) {
    case 'agent':
      return { agents: [...query.agents, value] }
    case 'tool':
      return { tools: [...query.tools, value] }
    case 'kind': {
      const kind = searchKinds.find((one) => one === value)
      return kind === undefined ? null : { kinds: [...query.kinds, kind] }
    }
    case 'program': {
      const program = searchedPrograms.find((one) => one === value)
      return program === undefined ? null : { programs: [...query.programs, program] }
    }
    case 'state': {
      const only = conversationStates.find((one) => one === value)
      if (only === undefined) return null
      set({ only })
      return {}
    }
    case 'folder': {
      const folders = [...new Set(useSession.getState().conversations.map(({ folder }) => folder))]
      const named = folders.filter((folder) => folder === value || folderName(folder) === value)
      return named.length === 0 ? null : { folders: [...query.folders, ...named] }
    }
    default: {
      const time = namedTime(value, now)
      return time === null ? null : key === 'since' ? { since: time.from } : { until: time.to }
    }
  }
}

export const KIND_LABELS: Readonly<Record<SearchKind, string>> = {
  said: 'Said',
  thought: 'Thought',
  input: 'Tool input',
  output: 'Output',
  you: 'Your words',
  message: 'Messages',
}

// Places that are written while the results are on the screen.

/** Counts the places that agents at work have written since the search. */
export async function countFresh(): Promise<void> {
  const { status, query, startedAt, only, found } = get()
  const changed = useSession
    .getState()
    .conversations.filter(({ running: agents, updatedAt }) => agents > 0 || updatedAt > startedAt)
    .map(({ id }) => id)
    .filter((id) => only === null || found.some((one) => one.id === id))
  if (status !== 'done' || changed.length === 0) return
  const since = Math.max(startedAt, query.since ?? 0)
  const searchId = newKey()
  const fresh: Record<string, number> = {}
  let answer = await command('search.start', {
    searchId,
    query: { ...query, since, conversations: changed.slice(0, 1000) },
  })
  while (answer.ok) {
    for (const { conversationId, places } of answer.value.agents)
      fresh[conversationId] = (fresh[conversationId] ?? 0) + places
    if (answer.value.end !== null) break
    answer = await command('search.next', { searchId })
  }
  if (get().startedAt === startedAt && get().status === 'done' && answer.ok) set({ fresh })
}
