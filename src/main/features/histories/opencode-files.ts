/**
 * The files of opencode: `session/<project>/<id>.json`, `message/<session>/<id>.json`, `part/<message>/<id>.json`; earlier
 * all three below `session`, with `info` in place of the project.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { type Finding, stateOf } from './history-format.ts'
import { type Breathe, type JsonObject, numberIn, objectIn, stringIn } from './history-lines.ts'

/** A message with its parts, in their order. */
export interface OpencodeMessage {
  readonly message: JsonObject
  readonly parts: readonly JsonObject[]
}

/** A session as a store lists it. */
export interface OpencodeSession {
  readonly id: string
  readonly parent: string
  readonly title: string
  readonly folder: string
  /** ms since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly stamp: string
  /** The file of the session, or the database: what it is known by. */
  readonly source: string
  /** Where its messages are read: the folder of a store, or the copy of the database. */
  readonly store: string
}

/** The sessions of a folder of files. */
export async function sessionsInFiles(
  storage: string,
  { breathe }: Finding,
): Promise<readonly OpencodeSession[]> {
  const found: OpencodeSession[] = []
  for (const project of await namesIn(join(storage, 'session'))) {
    const isOlder = project === 'info'
    if (!isOlder && ['message', 'part'].includes(project)) continue
    for (const name of await namesIn(join(storage, 'session', project))) {
      const file = name.endsWith('.json') ? await stateOf(join(storage, 'session', project, name)) : null
      if (file === null) continue
      const value = objectIn(jsonOrUndefined(await readFile(file.path, 'utf8').catch(() => '')))
      const id = basename(name, '.json')
      const store = isOlder ? join(storage, 'session') : storage
      const changed = await stat(join(store, 'message', id)).catch(() => null)
      if (changed === null) continue
      const last = (await namesIn(join(store, 'message', id))).at(-1) ?? ''
      const parts = await stat(partsOf(store, { session: id, message: basename(last, '.json') })).catch(
        () => null,
      )
      const time = objectIn(value['time'])
      found.push({
        ...{
          id,
          parent: stringIn(value['parentID']),
          title: stringIn(value['title']),
          source: file.path,
          store,
        },
        folder: stringIn(value['directory']),
        createdAt: numberIn(time['created']) || Math.floor(file.mtimeMs),
        updatedAt: numberIn(time['updated']) || Math.floor(file.mtimeMs),
        stamp: [file.size, file.mtimeMs, changed.mtimeMs, parts?.mtimeMs].join(':'),
      })
      await breathe()
    }
  }
  return found
}

const partsOf = (
  store: string,
  { session, message }: { readonly session: string; readonly message: string },
): string =>
  basename(store) === 'session' ? join(store, 'part', session, message) : join(store, 'part', message)

/** The folders of the parts of a session’s messages. */
export async function partFolders({
  id,
  store,
}: Pick<OpencodeSession, 'id' | 'store'>): Promise<readonly string[]> {
  const names = await namesIn(join(store, 'message', id))
  return names.map((name) => partsOf(store, { session: id, message: basename(name, '.json') }))
}

/** The messages of a session, the oldest first. */
export async function messagesInFiles(
  { id, store }: Pick<OpencodeSession, 'id' | 'store'>,
  breathe: Breathe,
): Promise<readonly OpencodeMessage[]> {
  const messages: OpencodeMessage[] = []
  for (const name of await namesIn(join(store, 'message', id))) {
    const message = await valueIn(join(store, 'message', id, name))
    const folder = partsOf(store, { session: id, message: basename(name, '.json') })
    const parts: JsonObject[] = []
    for (const part of await namesIn(folder)) parts.push(await valueIn(join(folder, part)))
    messages.push({ message: { id: basename(name, '.json'), ...message }, parts })
    await breathe()
  }
  const createdAt = ({ message }: OpencodeMessage) => numberIn(objectIn(message['time'])['created'])
  return messages.sort((a, b) => createdAt(a) - createdAt(b))
}

const valueIn = async (path: string): Promise<JsonObject> =>
  objectIn(jsonOrUndefined(await readFile(path, 'utf8').catch(() => '')))

const namesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).sort()
