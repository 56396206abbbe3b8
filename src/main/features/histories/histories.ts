/**
 * The histories of other agent programs: lists them, and keeps those that were opened as conversations of Troupe in a
 * cache, `<data folder>/histories`, which can be deleted at any time. Nothing is ever written where the programs keep them.
 */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type HistoryEntry,
  type HistoryProgram,
  type HistorySource,
  historyNames,
  historyOfAgent,
  historyProgramOf,
  historyPrograms,
} from '../../../shared/histories/history.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { dataPaths } from '../../platform/transcripts/data-paths.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import {
  type FindingOptions,
  findHistories,
  historyFolder,
  historyFormats,
  VERSION,
} from './history-finding.ts'
import type { FoundHistory } from './history-format.ts'
import { createBreathing, isPacked } from './history-lines.ts'

/** ms for which a list of files is taken for the present one. */
const FRESH_MS = 2000
/** A conversation at which its program works is converted again after a time by its size: 100 MB after 20 s. */
const BYTES_A_MS = 5000

interface HistoriesOptions extends FindingOptions {
  /** Reads the transcripts in the cache. */
  readonly cache: (folder: string) => TranscriptStore
}

export interface Histories {
  /** @param allow programs that the user lets Troupe read for this call, if the settings do not say no */
  list(options?: {
    readonly program?: HistoryProgram | undefined
    readonly allow?: readonly HistoryProgram[]
  }): Promise<Result<readonly HistorySource[]>>
  /**
   * Brings the conversation in the cache up to its files. Fails with `not-found`, `off`, `canceled`, or if the files can't
   * be read and the cache has nothing of them. A large one at which its program works may lag behind for some seconds,
   * unless `isCurrent` is set.
   */
  ready(conversationId: string, options?: { readonly isCurrent?: boolean }): Promise<Result<void>>
  /** How far it is with a conversation, from 0 to 1; null: unknown, or it does nothing for it. */
  progress(conversationId: string): number | null
  /** Ends the work for a conversation. What the cache had of it before stays. */
  cancel(conversationId: string): void
  /** The conversation that a user names: by its id here, or by the program's own id of it. */
  find(name: string): Promise<Result<HistoryEntry>>
  /** The transcripts in the cache. */
  readonly store: TranscriptStore
}

interface Look {
  readonly at: number
  readonly found: ReadonlyMap<string, FoundHistory>
  readonly problems: readonly string[]
}

interface Conversion {
  readonly abort: AbortController
  /** Bytes; 0: unknown. */
  readonly of: number
  read: number
}

export function createHistories({ cache, ...finding }: HistoriesOptions): Histories {
  const { home, variables, settings, elapsed } = finding
  const folder = historyFolder(finding.dataFolder)
  const paths = dataPaths(folder)
  const store = cache(folder)
  const lock = new KeyedLock()
  const looks = new Map<HistoryProgram, Look>()
  const conversions = new Map<string, Conversion>()
  const convertedAt = new Map<string, number>()

  const isOff = (program: HistoryProgram) => settings.current.histories[program] === false

  async function look(program: HistoryProgram): Promise<Look> {
    return lock.withLock(program, async () => {
      const before = looks.get(program)
      if (before && elapsed() - before.at < FRESH_MS) return before
      const { found, problems } = await findHistories(program, finding)
      // What could not be read now may be there again later.
      if (problems.length === 0) await forgetOthers(program, found)
      const now: Look = { at: elapsed(), found, problems }
      looks.set(program, now)
      return now
    })
  }

  /** What a program has deleted goes from the cache too. */
  async function forgetOthers(program: HistoryProgram, ids: ReadonlyMap<string, unknown>): Promise<void> {
    const isLeft = (id: string) => historyProgramOf(id) === program && !ids.has(historyOfAgent(id))
    const [logs, tasks] = await Promise.all([
      folderNames(paths.conversations),
      folderNames(join(folder, 'tasks')),
    ])
    for (const name of logs) if (isLeft(name)) await rm(join(paths.conversations, name), { force: true })
    for (const id of tasks) if (isLeft(id)) await rm(paths.task(id), { recursive: true, force: true })
  }

  async function source(program: HistoryProgram, allow: readonly HistoryProgram[]): Promise<HistorySource> {
    const place = (await historyFormats[program]()).place(home, variables)
    const isFound =
      place !== '' &&
      (await stat(place).then(
        () => true,
        () => false,
      ))
    const chosen = settings.current.histories[program]
    const reading = chosen === undefined ? (allow.includes(program) ? 'on' : 'ask') : chosen ? 'on' : 'off'
    if (!isFound || reading !== 'on') return { program, place, isFound, reading, entries: [], problems: [] }
    const { found, problems } = await look(program)
    const entries = [...found].map(([id, one]) => entryOf(id, program, one))
    return {
      program,
      place,
      isFound,
      reading,
      entries: entries.sort((a, b) => b.updatedAt - a.updatedAt),
      problems,
    }
  }

  async function convert(
    conversationId: string,
    program: HistoryProgram,
    found: FoundHistory,
  ): Promise<Result<void>> {
    const breathe = createBreathing(elapsed)
    const [format, { HistoryBook }] = await Promise.all([
      historyFormats[program](),
      import('./history-book.ts'),
    ])
    // How many bytes a compressed file has, only its end tells.
    const of = found.files.some(({ path }) => isPacked(path)) ? 0 : found.bytes
    const conversion: Conversion = { abort: new AbortController(), of, read: 0 }
    const { signal } = conversion.abort
    const onRead = (bytes: number) => {
      conversion.read += bytes
    }
    const book = new HistoryBook({ conversationId, program, paths, breathe, signal, onRead })
    conversions.set(conversationId, conversion)
    try {
      await format.convert(found, book)
      signal.throwIfAborted()
      const { title, folder: where, updatedAt, source: from } = found
      convertedAt.set(conversationId, elapsed())
      await book.close({ title, folder: where, updatedAt, source: from, stamp: `${VERSION}|${found.stamp}` })
      return ok(undefined)
    } catch (error) {
      await book.abandon()
      if (signal.aborted) return fail(canceled)
      return fail(
        diskFailure(error, `This conversation of ${historyNames[program]} can’t be read`, found.source),
      )
    } finally {
      conversions.delete(conversationId)
    }
  }

  return {
    store,
    list: async ({ program, allow = [] } = {}) => {
      const wanted = historyPrograms.filter((one) => program === undefined || one === program)
      const sources: HistorySource[] = []
      for (const one of wanted) sources.push(await source(one, allow))
      return ok(sources)
    },
    ready: async (conversationId, { isCurrent = false } = {}) => {
      const program = historyProgramOf(conversationId)
      if (program === null) return fail(notFound)
      if (isOff(program)) return fail(offFailure(program))
      const { found } = await look(program)
      const now = found.get(conversationId)
      return lock.withLock(conversationId, async () => {
        if (now === undefined) return fail(notFound)
        const before = await store.read(conversationId)
        const isSame = before.ok && before.value.history?.stamp === `${VERSION}|${now.stamp}`
        const age = elapsed() - (convertedAt.get(conversationId) ?? Number.NEGATIVE_INFINITY)
        if (isSame || (!isCurrent && before.ok && age < now.bytes / BYTES_A_MS)) return ok(undefined)
        const converted = await convert(conversationId, program, now)
        const isCanceled = !converted.ok && converted.failure.type === canceled.type
        return converted.ok || isCanceled || !before.ok ? converted : ok(undefined)
      })
    },
    progress: (conversationId) => {
      const { read, of } = conversions.get(conversationId) ?? { read: 0, of: 0 }
      return of === 0 ? null : Math.min(1, read / of)
    },
    cancel: (conversationId) => conversions.get(conversationId)?.abort.abort(),
    find: async (name) => {
      const own = historyProgramOf(name)
      const programs = own === null ? historyPrograms.filter((one) => !isOff(one)) : [own]
      const matches: HistoryEntry[] = []
      for (const program of programs) {
        if (isOff(program)) return fail(offFailure(program))
        for (const [id, one] of (await look(program)).found)
          if (id === name || one.session === name) matches.push(entryOf(id, program, one))
      }
      const [match, other] = matches
      if (match === undefined) return fail(notFound)
      if (other === undefined) return ok(match)
      return fail({
        type: 'several',
        message: `Several conversations are named ${name}. Give the id of one: ${matches.map(({ id }) => id).join(', ')}.`,
      })
    },
  }
}

const notFound = {
  type: 'not-found',
  message: 'Conversation not found. The program that kept it may have deleted it.',
} as const

const canceled = {
  type: 'canceled',
  message: 'You stopped the reading of this conversation. What was read is not kept.',
} as const

const offFailure = (program: HistoryProgram) => ({
  type: 'off',
  message: `Reading the conversations of ${historyNames[program]} is turned off. Turn it on in Settings, General.`,
})

function entryOf(id: string, program: HistoryProgram, found: FoundHistory): HistoryEntry {
  const { title, folder, createdAt, updatedAt, agents, bytes } = found
  return { id, program, title, folder, createdAt, updatedAt, agents, bytes }
}

const folderNames = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])
