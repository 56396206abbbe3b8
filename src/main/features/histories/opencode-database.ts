/** The database of opencode, in SQLite: it is read from a copy, because opening it writes beside it. */
import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import { type Finding, stateOf } from './history-format.ts'
import { type JsonObject, numberIn, objectIn, stringIn } from './history-lines.ts'
import type { OpencodeMessage, OpencodeSession } from './opencode-files.ts'

/** Null: this Node has no SQLite. */
const openDatabase = (path: string, { readOnly } = { readOnly: true }) => {
  const sqlite = process.getBuiltinModule?.('node:sqlite') as typeof import('node:sqlite') | undefined
  return sqlite === undefined ? null : new sqlite.DatabaseSync(path, { readOnly })
}

/** The sessions of a database. */
export async function sessionsInDatabase(
  path: string,
  finding: Finding,
): Promise<readonly OpencodeSession[]> {
  const copy = await copied(path, finding)
  const database = openDatabase(copy)
  if (database === null) {
    finding.onProblem(
      `The conversations of opencode in ${path} are not read: they are in a database of SQLite, which needs Node 22.5 or newer.`,
    )
    return []
  }
  try {
    return database
      .prepare('SELECT * FROM session')
      .all()
      .map((row) => {
        const id = stringIn(row['id'])
        return {
          ...{ id, parent: stringIn(row['parent_id']), title: stringIn(row['title']), store: copy },
          folder: stringIn(row['directory']),
          createdAt: numberIn(row['time_created']),
          updatedAt: numberIn(row['time_updated']),
          stamp: `${id}:${numberIn(row['time_updated'])}:${numberIn(lastMessage(database, id))}`,
          source: `${path}#${id}`,
        }
      })
  } finally {
    database.close()
  }
}

type Database = NonNullable<ReturnType<typeof openDatabase>>

const lastMessage = (database: Database, session: string): unknown =>
  database.prepare('SELECT MAX(time_updated) AS last FROM message WHERE session_id = ?').get(session)?.[
    'last'
  ]

/** The copy in the cache, made anew when the database has changed. */
async function copied(path: string, { notes, cacheFolder }: Finding): Promise<string> {
  const [file, log] = await Promise.all([stateOf(path), stateOf(`${path}-wal`)])
  const copy = join(cacheFolder, basename(path))
  const size = (file?.size ?? 0) + (log?.size ?? 0)
  const mtimeMs = Math.max(file?.mtimeMs ?? 0, log?.mtimeMs ?? 0)
  const isThere = (await stateOf(copy)) !== null
  await notes.of({ path, size, mtimeMs: isThere ? mtimeMs : 0 }, async () => {
    await mkdir(cacheFolder, { recursive: true, mode: 0o700 })
    // The thread of searches may copy it at the same time, so it is whole before it has its name.
    const draft = `${copy}.${draftMark()}.tmp`
    try {
      await copyFile(path, draft, constants.COPYFILE_FICLONE)
      if (log !== null) await copyFile(`${path}-wal`, `${draft}-wal`, constants.COPYFILE_FICLONE)
      const database = openDatabase(draft, { readOnly: false })
      database?.exec('PRAGMA journal_mode = DELETE')
      database?.close()
      // Of copies that earlier versions made.
      for (const end of ['-wal', '-shm']) await rm(`${copy}${end}`, { force: true })
      await rename(draft, copy)
    } finally {
      for (const end of ['', '-wal', '-shm']) await rm(`${draft}${end}`, { force: true })
    }
    return {}
  })
  return copy
}

/** The messages of a session, the oldest first. */
export async function messagesInDatabase({
  id,
  store,
}: Pick<OpencodeSession, 'id' | 'store'>): Promise<readonly OpencodeMessage[]> {
  const database = openDatabase(store)
  if (database === null) throw new Error('this Node has no SQLite')
  try {
    const parts = new Map<string, JsonObject[]>()
    const ofSession = 'WHERE session_id = ? ORDER BY'
    for (const row of database
      .prepare(`SELECT id, message_id, data FROM part ${ofSession} message_id, id`)
      .iterate(id)) {
      const message = stringIn(row['message_id'])
      const value = { id: stringIn(row['id']), ...objectIn(jsonOrUndefined(stringIn(row['data']))) }
      parts.set(message, [...(parts.get(message) ?? []), value])
    }
    return database
      .prepare(`SELECT id, data FROM message ${ofSession} time_created, id`)
      .all(id)
      .map((row) => ({
        message: { id: stringIn(row['id']), ...objectIn(jsonOrUndefined(stringIn(row['data']))) },
        parts: parts.get(stringIn(row['id'])) ?? [],
      }))
  } finally {
    database.close()
  }
}
