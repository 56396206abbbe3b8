/**
 * The histories of other agent programs: lists them, and keeps those that were opened as conversations of Troupe in a
 * cache, `<data folder>/histories`, which can be deleted at any time. Nothing is ever written where the programs keep them.
 */
import { createHash } from 'node:crypto'
import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
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
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import { dataPaths } from '../../platform/transcripts/data-paths.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import type { FileNotes, FoundHistory, HistoryFile, HistoryFormat } from './history-format.ts'
import { createBreathing, type JsonObject, numberIn, objectIn } from './history-lines.ts'

/** Loaded when they are needed: most starts of the program read no history. */
const FORMATS: Readonly<Record<HistoryProgram, () => Promise<HistoryFormat>>> = {
  claude: async () => (await import('./claude.ts')).claudeHistories,
  codex: async () => (await import('./codex.ts')).codexHistories,
  gemini: async () => (await import('./gemini.ts')).geminiHistories,
  opencode: async () => (await import('./opencode.ts')).opencodeHistories,
}

/** ms for which a list of files is taken for the present one. */
const FRESH_MS = 2000
/** Increase when a glance or a conversion makes something else of the same files. */
const VERSION = 1

interface HistoriesOptions {
  readonly dataFolder: string
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly settings: { readonly current: Pick<Settings, 'histories' | 'recentFolders' | 'trustedFolders'> }
  /** ms, for durations. */
  readonly elapsed: () => number
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
   * Brings the conversation in the cache up to its files. Fails with `not-found`, `off`, or if the files can't be read
   * and the cache has nothing of them.
   */
  ready(conversationId: string): Promise<Result<void>>
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

export function createHistories({
  dataFolder,
  home,
  variables,
  settings,
  elapsed,
  cache,
}: HistoriesOptions): Histories {
  const folder = join(dataFolder, 'histories')
  const paths = dataPaths(folder)
  const store = cache(folder)
  const lock = new KeyedLock()
  const looks = new Map<HistoryProgram, Look>()

  const isOff = (program: HistoryProgram) => settings.current.histories[program] === false

  async function look(program: HistoryProgram): Promise<Look> {
    return lock.withLock(program, async () => {
      const before = looks.get(program)
      if (before && elapsed() - before.at < FRESH_MS) return before
      const notes = await openNotes(join(folder, `${program}.json`))
      const problems: string[] = []
      const format = await FORMATS[program]()
      const found = await format.find({
        place: format.place(home, variables),
        notes,
        cacheFolder: folder,
        folders: [...settings.current.recentFolders, ...settings.current.trustedFolders],
        breathe: createBreathing(elapsed),
        onProblem: (problem) => problems.push(problem),
      })
      await notes.save().catch(() => undefined)
      const ids = new Set(found.map((one) => idOf(program, one)))
      // What could not be read now may be there again later.
      if (problems.length === 0) await forgetOthers(program, ids)
      const now: Look = {
        at: elapsed(),
        found: new Map(found.map((one) => [idOf(program, one), one])),
        problems,
      }
      looks.set(program, now)
      return now
    })
  }

  /** What a program has deleted goes from the cache too. */
  async function forgetOthers(program: HistoryProgram, ids: ReadonlySet<string>): Promise<void> {
    const isLeft = (id: string) => historyProgramOf(id) === program && !ids.has(historyOfAgent(id))
    const [logs, tasks] = await Promise.all([
      folderNames(paths.conversations),
      folderNames(join(folder, 'tasks')),
    ])
    for (const name of logs) if (isLeft(name)) await rm(join(paths.conversations, name), { force: true })
    for (const id of tasks) if (isLeft(id)) await rm(paths.task(id), { recursive: true, force: true })
  }

  async function source(program: HistoryProgram, allow: readonly HistoryProgram[]): Promise<HistorySource> {
    const place = (await FORMATS[program]()).place(home, variables)
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
    const [format, { HistoryBook }] = await Promise.all([FORMATS[program](), import('./history-book.ts')])
    const book = new HistoryBook({ conversationId, program, paths, breathe })
    try {
      await format.convert(found, book)
      const { title, folder: where, updatedAt, source: from } = found
      await book.close({ title, folder: where, updatedAt, source: from, stamp: `${VERSION}|${found.stamp}` })
      return ok(undefined)
    } catch (error) {
      await book.abandon()
      return fail(
        diskFailure(error, `This conversation of ${historyNames[program]} can’t be read`, found.source),
      )
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
    ready: async (conversationId) => {
      const program = historyProgramOf(conversationId)
      if (program === null) return fail(notFound)
      if (isOff(program)) return fail(offFailure(program))
      const { found } = await look(program)
      const now = found.get(conversationId)
      return lock.withLock(conversationId, async () => {
        if (now === undefined) return fail(notFound)
        const before = await store.read(conversationId)
        if (before.ok && before.value.history?.stamp === `${VERSION}|${now.stamp}`) return ok(undefined)
        const converted = await convert(conversationId, program, now)
        return converted.ok || !before.ok ? converted : ok(undefined)
      })
    },
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

const offFailure = (program: HistoryProgram) => ({
  type: 'off',
  message: `Reading the conversations of ${historyNames[program]} is turned off. Turn it on in Settings, General.`,
})

const idOf = (program: HistoryProgram, { source }: FoundHistory): string =>
  `from-${program}-${createHash('sha256').update(source).digest('hex').slice(0, 20)}`

function entryOf(id: string, program: HistoryProgram, found: FoundHistory): HistoryEntry {
  const { title, folder, createdAt, updatedAt, agents, bytes } = found
  return { id, program, title, folder, createdAt, updatedAt, agents, bytes }
}

const folderNames = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => [])

/** The notes of earlier glances, in a file of the cache. Without it, all files are looked at again. */
async function openNotes(path: string): Promise<FileNotes & { save(): Promise<void> }> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const stored = objectIn(jsonOrUndefined(text))
  const before = stored['v'] === VERSION ? objectIn(stored['files']) : {}
  const kept: Record<string, JsonObject> = {}
  let isChanged = false
  return {
    async of({ path: file, size, mtimeMs }: HistoryFile, look) {
      const known = objectIn(before[file])
      const isSame = known['size'] === size && known['mtimeMs'] === mtimeMs
      if (isSame) {
        kept[file] = known
        return objectIn(known['notes'])
      }
      isChanged = true
      // A file that became smaller, or begins in another way, was written anew.
      const length = Math.min(HEAD, numberIn(known['size']))
      const hasGrown =
        length > 0 && numberIn(known['size']) <= size && (await headOf(file, length)) === known['head']
      const notes = await look(hasGrown ? objectIn(known['notes']) : null)
      kept[file] = { size, mtimeMs, head: await headOf(file, Math.min(HEAD, size)), notes }
      return notes
    },
    async save() {
      const isFewer = Object.keys(before).length !== Object.keys(kept).length
      if (!isChanged && !isFewer) return
      await replaceFile(path, JSON.stringify({ v: VERSION, files: kept }), {
        durable: false,
        draft: `${path}.${draftMark()}.tmp`,
      })
    },
  }
}

/** Bytes at the start of a file by which it is known. */
const HEAD = 512

/** A digest of the start of a file. */
async function headOf(path: string, length: number): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('base64url').slice(0, 16)
  } finally {
    await file.close()
  }
}
