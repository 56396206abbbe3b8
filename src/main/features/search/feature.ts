/** Searches in everything that was said, carried out in a thread of their own. It is started with the first search. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { handlersOf } from '../../../shared/ipc/handlers.ts'
import type { PortOf } from '../../../shared/kernel/command.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { searchContract } from '../../../shared/search/contract.ts'
import { type SearchHit, type SearchPart, searchEnded } from '../../../shared/search/search.ts'
import { textMatcher } from '../../../shared/search/text-matcher.ts'
import type { FindingSettings } from '../histories/history-finding.ts'
import type { FromSearchThread, SearchThreadData, ToSearchThread } from './search-worker.ts'

interface SearchOptions extends Pick<SearchThreadData, 'dataFolder' | 'home' | 'variables'> {
  readonly settings: { readonly current: FindingSettings }
  /** Brings a history in the cache up to its files: see `Histories`. */
  readonly ready: (conversationId: string) => Promise<Result<void>>
  /** The thread's script: see `searchScript`. */
  readonly script: string
  /** The program ripgrep, and its environment. */
  readonly rgPath: () => Promise<Result<string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** ms. A thread that does not answer for so long when a newer search begins is ended: an expression may never end. */
  readonly patience?: number
}

export type Searches = PortOf<typeof searchContract, 'search'> & { close(): Promise<void> }

/** What the thread is asked, without the number of the call. */
type Asked<T = ToSearchThread> = T extends { readonly call: number } ? Omit<T, 'call'> : never

const PATIENCE = 1000
/** ms, for one run of ripgrep. */
const TIME_LIMIT = 60_000

/** The script of the thread: beside this file in the sources, in `out` of the built program. */
export function searchScript(programFolder: string): string {
  return import.meta.url.endsWith('.ts')
    ? fileURLToPath(new URL('./search.worker.ts', import.meta.url))
    : join(programFolder, 'out', 'search.cjs')
}

export function composeSearch(options: SearchOptions): Searches {
  const {
    dataFolder,
    home,
    variables,
    settings,
    ready,
    script,
    rgPath,
    environment,
    patience = PATIENCE,
  } = options
  let thread: Worker | null = null
  let count = 0
  /** Searches begin one after the other. */
  let lastStart: Promise<void> = Promise.resolve()
  const waiting = new Map<number, (result: FromSearchThread['result']) => void>()
  /** The settings that the thread knows. */
  let told: FindingSettings | null = null

  async function started(): Promise<Result<Worker>> {
    const found = await rgPath()
    if (!found.ok) return found
    if (thread !== null) return ok(thread)
    const workerData: SearchThreadData = {
      ...{ dataFolder, home, variables: { ...variables } },
      ripgrep: { rgPath: found.value, environment: { ...environment }, timeoutMs: TIME_LIMIT },
    }
    const made = new Worker(script, { workerData, env: {}, execArgv: [], stdout: true, stderr: true })
    made.unref()
    made.on('message', ({ call, result }: FromSearchThread) => settle(call, result))
    made.once('error', ({ message }) => lose(made, `The search failed: ${message}`))
    made.once('exit', () => lose(made, searchEnded.message))
    thread = made
    told = null
    return ok(made)
  }

  /** A thread that knows the settings. `isAnew`: it also looks for what is new. */
  async function prepared(isAnew: boolean): Promise<Result<Worker>> {
    const its = await started()
    if (its.ok && (isAnew || told !== settings.current)) {
      told = settings.current
      const { histories, recentFolders, trustedFolders } = told
      const known = { histories, recentFolders: [...recentFolders], trustedFolders: [...trustedFolders] }
      its.value.postMessage({ kind: 'prepare', settings: known } satisfies ToSearchThread)
    }
    return its
  }

  function settle(call: number, result: FromSearchThread['result']): void {
    waiting.get(call)?.(result)
    waiting.delete(call)
  }

  /** The next search starts another thread. */
  function lose(lost: Worker, message: string): void {
    if (thread !== lost) return
    thread = null
    for (const call of [...waiting.keys()]) settle(call, fail({ type: 'aborted', message }))
  }

  /** @param asked of a kind that is answered with a T */
  function ask<T extends SearchPart | SearchHit>(its: Worker, asked: Asked): Promise<Result<T>> {
    const call = ++count
    return new Promise((resolve) => {
      waiting.set(call, (result) => resolve(result as Result<T>))
      its.postMessage({ ...asked, call } satisfies ToSearchThread)
    })
  }

  /** Waits until the earlier calls are answered. If they are not, their thread is ended. */
  async function becomeFree(): Promise<void> {
    const busy = thread
    if (busy === null || waiting.size === 0) return
    const earlier = [...waiting.keys()]
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patience)
      for (const call of earlier) {
        const answer = waiting.get(call)
        waiting.set(call, (result) => {
          answer?.(result)
          clearTimeout(timer)
          resolve()
        })
      }
    })
    if (thread === busy && earlier.every((call) => waiting.has(call))) {
      lose(busy, searchEnded.message)
      await busy.terminate()
    }
  }

  return {
    async prepare() {
      const its = await prepared(true)
      return its.ok ? ok(undefined) : its
    },
    async start({ searchId, query }) {
      const matcher = textMatcher(query)
      if (!matcher.ok) return matcher
      const begun = lastStart.then(async () => {
        await becomeFree()
        const its = await prepared(false)
        return { answer: its.ok ? ask<SearchPart>(its.value, { kind: 'next', searchId, query }) : its }
      })
      lastStart = begun.then(() => undefined)
      return await (await begun).answer
    },
    next: async ({ searchId }) =>
      thread === null ? fail(searchEnded) : ask(thread, { kind: 'next', searchId, query: null }),
    async end({ searchId }) {
      thread?.postMessage({ kind: 'end', searchId } satisfies ToSearchThread)
      return ok(undefined)
    },
    async place({ query, place }) {
      const isReady = await ready(place.conversationId)
      if (!isReady.ok) return isReady
      const its = await prepared(false)
      return its.ok ? ask(its.value, { kind: 'place', query, place }) : its
    },
    async close() {
      await thread?.terminate()
    },
  }
}

export const searchHandlers = (searches: Searches) =>
  handlersOf('search', searches, 'prepare', 'start', 'next', 'end', 'place')
