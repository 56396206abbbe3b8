/** What the reader of one program's histories offers: it finds conversations, and turns them into Troupe's events. */
import { readdir, stat } from 'node:fs/promises'
import type { HistoryEntry, HistoryProgram } from '../../../shared/histories/history.ts'
import type { SearchedLog } from '../../../shared/search/logged-texts.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { HistoryBook } from './history-book.ts'
import { type Breathe, type JsonObject, timeIn } from './history-lines.ts'
import { unreadable } from './history-parts.ts'
import type { AgentFile } from './history-said.ts'

/** A conversation that was found, and the files that it consists of. */
export interface FoundHistory extends Omit<HistoryEntry, 'id' | 'program'> {
  /** The file or folder by which it is known; absolute. */
  readonly source: string
  /** How the program itself names it: the id of a session. */
  readonly session: string
  /** The state of its files: another one means that it is read again. */
  readonly stamp: string
  /** Its files, the main one first. */
  readonly files: readonly AgentFile[]
}

/** The files of a conversation, the first of which is that of the main agent. */
export const agentFiles = <T>(
  list: readonly T[],
  of: (one: T) => Pick<AgentFile, 'path' | 'key'> & { readonly name?: string },
): readonly AgentFile[] =>
  list.map((one, at) =>
    at === 0 ? { path: of(one).path, key: '', name: 'main' } : { name: 'agent', ...of(one) },
  )

/** What a glance at a file left, for the next one: only new bytes are read then. Kept on the disk. */
export interface FileNotes {
  /**
   * The notes about a file, from `look` where the file has changed. `before`: what an earlier look left, if the file has
   * only grown since.
   */
  of(file: HistoryFile, look: (before: JsonObject | null) => Promise<JsonObject>): Promise<JsonObject>
}

export interface HistoryFile {
  /** Absolute. */
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
}

export interface Finding {
  readonly place: string
  readonly notes: FileNotes
  /** For copies of what can't be opened without writing beside it; absolute. */
  readonly cacheFolder: string
  /** Folders that the user works in, where a program only keeps a digest of a folder. */
  readonly folders: readonly string[]
  readonly breathe: Breathe
  /** Takes what could not be read, as a sentence. */
  readonly onProblem: (problem: string) => void
}

export interface HistoryFormat {
  readonly program: HistoryProgram
  /** The folder that the program keeps; absolute. */
  place(home: string, variables: Readonly<Record<string, string | undefined>>): string
  /** Never throws for a single file: what can't be read is a problem. */
  find(finding: Finding): Promise<readonly FoundHistory[]>
  /** Writes the events of a conversation into the book. Throws the error of the system for its main file. */
  convert(found: FoundHistory, book: HistoryBook): Promise<void>
  /** What a search reads of a conversation: the files as they are, or what `store` reads if they may have the text. */
  searched(found: FoundHistory, conversationId: string): Promise<SearchedHistory>
}

type SearchedHistory =
  | { readonly logs: readonly SearchedLog[] }
  /** Absolute paths of files and folders; none: it is always read. */
  | { readonly paths: readonly string[] }

/** What the files of a conversation say, the first of which is the main one. Times are as the program wrote them, if it did. */
export function foundIn(
  files: readonly HistoryFile[],
  times: { readonly createdAt: unknown; readonly updatedAt: unknown },
): Pick<FoundHistory, 'source' | 'stamp' | 'bytes' | 'createdAt' | 'updatedAt'> {
  const [main] = files as readonly [HistoryFile, ...HistoryFile[]]
  const changedAt = Math.floor(main.mtimeMs)
  const createdAt = timeIn(times.createdAt) ?? changedAt
  return {
    source: main.path,
    stamp: files.map(({ path, size, mtimeMs }) => `${path}:${size}:${mtimeMs}`).join('|'),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    createdAt,
    updatedAt: Math.max(createdAt, timeIn(times.updatedAt) ?? changedAt),
  }
}

/** What a glance at a file tells; null: there is no such file, or it can't be read, which is a problem then. */
export async function glanceAt(
  path: string,
  { notes, onProblem, breathe }: Finding,
  look: (file: HistoryFile, before: JsonObject | null) => Promise<JsonObject>,
): Promise<{ readonly file: HistoryFile; readonly notes: JsonObject } | null> {
  const file = await stateOf(path)
  if (file === null) return null
  try {
    return { file, notes: await notes.of(file, (before) => look(file, before)) }
  } catch (error) {
    onProblem(unreadable(path, error))
    return null
  } finally {
    await breathe()
  }
}

/** Null: there is no such file, or it can't be asked for. */
export async function stateOf(path: string): Promise<HistoryFile | null> {
  const stats = await stat(path).catch(() => null)
  return stats?.isFile() ? { path, size: stats.size, mtimeMs: stats.mtimeMs } : null
}

/** The names in a folder, sorted. None where it is no folder; one that can't be read is a problem. */
export async function folderNames(folder: string, { onProblem }: Finding): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    // A file between folders, or a folder that is gone now, is nothing to tell.
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) onProblem(unreadable(folder, error))
    return []
  }
}
