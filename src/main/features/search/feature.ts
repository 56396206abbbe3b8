/** Searches in everything that was said, carried out in a thread of their own. It is started with the first search. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { handlersOf } from '../../../shared/ipc/handlers.ts'
import type { PortOf } from '../../../shared/kernel/command.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { searchContract } from '../../../shared/search/contract.ts'
import { type SearchPart, type SearchQuery, searchEnded } from '../../../shared/search/search.ts'
import { textMatcher } from '../../../shared/search/text-matcher.ts'
import type { FromSearchThread, SearchThreadData, ToSearchThread } from './search-worker.ts'

interface SearchOptions {
  readonly dataFolder: string
  /** The thread's script: see `searchScript`. */
  readonly script: string
  /** The program ripgrep, and its environment. */
  readonly rgPath: () => Promise<Result<string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** ms. A thread that does not answer for so long when a newer search begins is ended: an expression may never end. */
  readonly patience?: number
}

export type Searches = PortOf<typeof searchContract, 'search'> & { close(): Promise<void> }

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
  const { dataFolder, script, rgPath, environment, patience = PATIENCE } = options
  let thread: Worker | null = null
  let count = 0
  /** Searches begin one after the other. */
  let lastStart: Promise<void> = Promise.resolve()
  const waiting = new Map<number, (result: Result<SearchPart>) => void>()

  async function started(): Promise<Result<Worker>> {
    const found = await rgPath()
    if (!found.ok) return found
    if (thread !== null) return ok(thread)
    const workerData: SearchThreadData = {
      dataFolder,
      ripgrep: { rgPath: found.value, environment: { ...environment }, timeoutMs: TIME_LIMIT },
    }
    const made = new Worker(script, { workerData, env: {}, execArgv: [], stdout: true, stderr: true })
    made.unref()
    made.on('message', ({ call, result }: FromSearchThread) => settle(call, result))
    made.once('error', ({ message }) => lose(made, `The search failed: ${message}`))
    made.once('exit', () => lose(made, searchEnded.message))
    thread = made
    return ok(made)
  }

  function settle(call: number, result: Result<SearchPart>): void {
    waiting.get(call)?.(result)
    waiting.delete(call)
  }

  /** The next search starts another thread. */
  function lose(lost: Worker, message: string): void {
    if (thread !== lost) return
    thread = null
    for (const call of [...waiting.keys()]) settle(call, fail({ type: 'aborted', message }))
  }

  function ask(its: Worker, searchId: string, query: SearchQuery | null): Promise<Result<SearchPart>> {
    const call = ++count
    return new Promise((resolve) => {
      waiting.set(call, resolve)
      its.postMessage({ kind: 'next', call, searchId, query } satisfies ToSearchThread)
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
      const its = await started()
      if (its.ok) its.value.postMessage({ kind: 'prepare' } satisfies ToSearchThread)
      return its.ok ? ok(undefined) : its
    },
    async start({ searchId, query }) {
      const matcher = textMatcher(query)
      if (!matcher.ok) return matcher
      const begun = lastStart.then(async () => {
        await becomeFree()
        const its = await started()
        return { answer: its.ok ? ask(its.value, searchId, query) : its }
      })
      lastStart = begun.then(() => undefined)
      return await (await begun).answer
    },
    next: async ({ searchId }) => (thread === null ? fail(searchEnded) : ask(thread, searchId, null)),
    async end({ searchId }) {
      thread?.postMessage({ kind: 'end', searchId } satisfies ToSearchThread)
      return ok(undefined)
    },
    async close() {
      await thread?.terminate()
    },
  }
}

export const searchHandlers = (searches: Searches) =>
  handlersOf('search', searches, 'prepare', 'start', 'next', 'end')
