/** What the thread of searches and the program say to each other. Begun searches go on only when they are asked. */
import { fail, type Result } from '../../../shared/kernel/result.ts'
import { type SearchPart, type SearchQuery, searchEnded } from '../../../shared/search/search.ts'
import type { Ripgrep } from '../../platform/search/run-ripgrep.ts'
import { searchLogs } from './search-logs.ts'
import { createTroupeLogs } from './troupe-logs.ts'

export interface SearchThreadData {
  readonly dataFolder: string
  readonly ripgrep: Ripgrep
}

/** `next` without a query: the next part of a search. */
export type ToSearchThread =
  | {
      readonly kind: 'next'
      readonly call: number
      readonly searchId: string
      readonly query: SearchQuery | null
    }
  | { readonly kind: 'end'; readonly searchId: string }
  /** Reads the list of conversations for later searches. */
  | { readonly kind: 'prepare' }

export interface FromSearchThread {
  readonly call: number
  readonly result: Result<SearchPart>
}

/** Searches that were begun and not ended; older ones are forgotten. */
const MOST_SEARCHES = 8

interface Begun {
  readonly parts: AsyncGenerator<Result<SearchPart>>
  readonly abort: AbortController
}

/** Answers the messages of the program. @param say posts an answer */
export function searchWorker(
  { dataFolder, ripgrep }: SearchThreadData,
  say: (message: FromSearchThread) => void,
): (message: ToSearchThread) => void {
  const logs = createTroupeLogs(dataFolder, () => {})
  const searches = new Map<string, Begun>()

  async function* parts(query: SearchQuery, signal: AbortSignal): AsyncGenerator<Result<SearchPart>> {
    yield* searchLogs(query, await logs.list(), { ripgrep, signal })
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
    if (message.kind === 'end') end(message.searchId)
    else if (message.kind === 'prepare') void logs.list()
    else void next(message).then((result) => say({ call: message.call, result: plain(result) }))
  }
}

/** Errors of any kind can't be posted. */
const plain = (result: Result<SearchPart>): Result<SearchPart> =>
  result.ok ? result : fail({ type: result.failure.type, message: result.failure.message })
