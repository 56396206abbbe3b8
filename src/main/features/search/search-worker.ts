/** What the thread of searches and the program say to each other. Begun searches go on only when they are asked. */
import { setTimeout } from 'node:timers/promises'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { SearchedLogs } from '../../../shared/search/logged-texts.ts'
import {
  type SearchHit,
  type SearchPart,
  type SearchQuery,
  searchEnded,
} from '../../../shared/search/search.ts'
import type { Ripgrep } from '../../platform/search/run-ripgrep.ts'
import { type FindingSettings, historyFolder } from '../histories/history-finding.ts'
import { createSearchedHistories } from '../histories/searched-histories.ts'
import { searchLogs } from './search-logs.ts'
import { createTroupeLogs } from './troupe-logs.ts'

export interface SearchThreadData {
  readonly dataFolder: string
  readonly home: string
  /** Of the environment: where other programs keep their histories. */
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly ripgrep: Ripgrep
}

/** What is found in a history, before its event is known. */
type PlaceInHistory = Pick<SearchHit, 'conversationId' | 'agentId' | 'at' | 'kind' | 'line'>

/** `next` without a query: the next part of a search. */
export type ToSearchThread =
  | {
      readonly kind: 'next'
      readonly call: number
      readonly searchId: string
      readonly query: SearchQuery | null
    }
  | { readonly kind: 'end'; readonly searchId: string }
  /** Looks for the event of a place in a history that is in the cache. */
  | {
      readonly kind: 'place'
      readonly call: number
      readonly query: SearchQuery
      readonly place: PlaceInHistory
    }
  /** Reads the list of conversations for later searches. Comes before the first search, and when the settings changed. */
  | { readonly kind: 'prepare'; readonly settings: FindingSettings }

export interface FromSearchThread {
  readonly call: number
  readonly result: Result<SearchPart | SearchHit>
}

/** Searches that were begun and not ended; older ones are forgotten. */
const MOST_SEARCHES = 8

interface Begun {
  readonly parts: AsyncGenerator<Result<SearchPart>>
  readonly abort: AbortController
}

/** Answers the messages of the program. `elapsed`: ms, for durations. @param say posts an answer */
export function searchWorker(
  { ripgrep, ...where }: SearchThreadData & { readonly elapsed: () => number },
  say: (message: FromSearchThread) => void,
): (message: ToSearchThread) => void {
  const logs = createTroupeLogs(where.dataFolder, () => {})
  const settings: { current: FindingSettings } = {
    current: { histories: {}, recentFolders: [], trustedFolders: [] },
  }
  const histories = createSearchedHistories({ ...where, settings })
  const converted = createTroupeLogs(historyFolder(where.dataFolder), () => {})
  const searches = new Map<string, Begun>()

  async function* parts(query: SearchQuery, signal: AbortSignal): AsyncGenerator<Result<SearchPart>> {
    // Files that are looked at for the first time must not delay the conversations of Troupe.
    const listed = histories().catch(() => [])
    const [own, others] = await Promise.all([logs.list(), Promise.race([listed, setTimeout(LIST_MS, null)])])
    yield* searchLogs(
      query,
      newestFirst([...own, ...(others ?? [])]),
      { ripgrep, signal },
      others === null ? listed.then(newestFirst) : null,
    )
  }

  async function findPlace({ query, place }: ToSearchThread & { kind: 'place' }): Promise<Result<SearchHit>> {
    const { conversationId, agentId, at, kind, line } = place
    const [one] = (await converted.list()).filter(({ conversation }) => conversation.id === conversationId)
    if (one === undefined) return fail(placeGone)
    const only = { agents: [], tools: [], folders: [], programs: [], conversations: [], kinds: [kind] }
    const signal = new AbortController().signal
    // A message has the time of its last part, so its event may be later than its line.
    for (const until of [at, at + MESSAGE_MS, null]) {
      const wanted = { ...query, ...only, since: until === null ? null : at, until }
      const hits: SearchHit[] = []
      for await (const part of searchLogs(wanted, [one], { ripgrep, signal })) {
        if (!part.ok) return part
        hits.push(...part.value.hits.filter((hit) => hit.line === line))
      }
      const distance = (hit: SearchHit) => Math.abs(hit.at - at) + (hit.agentId === agentId ? 0 : FAR)
      const [nearest] = hits.sort((hit, other) => distance(hit) - distance(other))
      if (nearest !== undefined) return ok(nearest)
    }
    return fail(placeGone)
  }

  function begin(searchId: string, query: SearchQuery): Begun {
    end(searchId)
    const abort = new AbortController()
    const begun = { parts: parts(query, abort.signal), abort }
    searches.set(searchId, begun)
    for (const oldest of [...searches.keys()].slice(0, -MOST_SEARCHES)) end(oldest)
    return begun
  }

  function end(searchId: string): void {
    searches.get(searchId)?.abort.abort()
    searches.delete(searchId)
  }

  async function next({ searchId, query }: ToSearchThread & { kind: 'next' }): Promise<Result<SearchPart>> {
    const search = query === null ? searches.get(searchId) : begin(searchId, query)
    if (search === undefined) return fail(searchEnded)
    try {
      const part = await search.parts.next()
      if (part.done) return fail(searchEnded)
      if (!part.value.ok || part.value.value.end !== null) end(searchId)
      return part.value
    } catch (thrown) {
      return fail({ type: 'io', message: `The search failed: ${String(thrown)}` })
    }
  }

  return (message) => {
    if (message.kind === 'end') return end(message.searchId)
    if (message.kind === 'prepare') {
      settings.current = message.settings
      void Promise.all([logs.list(), histories().catch(() => [])])
      return
    }
    const answer: Promise<Result<SearchPart | SearchHit>> =
      message.kind === 'place' ? findPlace(message) : next(message)
    void answer.then((result) => say({ call: message.call, result: plain(result) }))
  }
}

const newestFirst = (all: readonly SearchedLogs[]): readonly SearchedLogs[] =>
  [...all].sort((one, other) => other.conversation.updatedAt - one.conversation.updatedAt)

const placeGone = {
  type: 'not-found',
  message: 'The place is no longer in the conversation. Search again.',
}

/** ms for which a search waits for the list of histories; they are searched after the others then. */
const LIST_MS = 40
/** ms within which the parts of a message come. */
const MESSAGE_MS = 600_000
/** More than any difference of times. */
const FAR = 1e15

/** Errors of any kind can't be posted. */
const plain = <T>(result: Result<T>): Result<T> =>
  result.ok ? result : fail({ type: result.failure.type, message: result.failure.message })
