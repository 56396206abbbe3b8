/** Finds what a program has kept. What a glance at a file told is kept in the cache, so that only new bytes are read. */
import { createHash } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type HistoryProgram, historyPrograms } from '../../../shared/histories/history.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import type { FileNotes, FoundHistory, HistoryFile, HistoryFormat } from './history-format.ts'
import { createBreathing, type JsonObject, numberIn, objectIn } from './history-lines.ts'

/** Increase when a glance or a conversion makes something else of the same files. */
export const VERSION = 1

export type FindingSettings = Pick<Settings, 'histories' | 'recentFolders' | 'trustedFolders'>

export interface FindingOptions {
  readonly dataFolder: string
  readonly home: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly settings: { readonly current: FindingSettings }
  /** ms, for durations. */
  readonly elapsed: () => number
}

/** Loaded when they are needed: most starts of the program read no history. */
export const historyFormats: Readonly<Record<HistoryProgram, () => Promise<HistoryFormat>>> = {
  claude: async () => (await import('./claude.ts')).claudeHistories,
  codex: async () => (await import('./codex.ts')).codexHistories,
  gemini: async () => (await import('./gemini.ts')).geminiHistories,
  opencode: async () => (await import('./opencode.ts')).opencodeHistories,
}

/** The folder of the cache, which can be deleted at any time. */
export const historyFolder = (dataFolder: string): string => join(dataFolder, 'histories')

/** The programs that keep something here, and that the user was not asked about. */
export async function unaskedPrograms({
  home,
  variables,
  settings,
}: Pick<FindingOptions, 'home' | 'variables' | 'settings'>): Promise<readonly HistoryProgram[]> {
  const found: HistoryProgram[] = []
  for (const program of historyPrograms.filter((one) => settings.current.histories[one] === undefined)) {
    const place = (await historyFormats[program]()).place(home, variables)
    if ((await stat(place).catch(() => null)) !== null) found.push(program)
  }
  return found
}

/** What a program has kept, by the ids that its conversations have here. `problems`: sentences for the user. */
export async function findHistories(
  program: HistoryProgram,
  { dataFolder, home, variables, settings: { current }, elapsed }: FindingOptions,
): Promise<{ readonly found: ReadonlyMap<string, FoundHistory>; readonly problems: readonly string[] }> {
  const cacheFolder = historyFolder(dataFolder)
  const notes = await openNotes(join(cacheFolder, `${program}.json`))
  const problems: string[] = []
  const format = await historyFormats[program]()
  const found = await format.find({
    ...{ place: format.place(home, variables), notes, cacheFolder },
    folders: [...current.recentFolders, ...current.trustedFolders],
    breathe: createBreathing(elapsed),
    onProblem: (problem) => problems.push(problem),
  })
  await notes.save().catch(() => undefined)
  return { found: new Map(found.map((one) => [idOf(program, one), one])), problems }
}

const idOf = (program: HistoryProgram, { source }: FoundHistory): string =>
  `from-${program}-${createHash('sha256').update(source).digest('hex').slice(0, 20)}`

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
