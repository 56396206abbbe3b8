/** Reads a session of Gemini CLI as one value, whatever its form. */
import { readFile, stat } from 'node:fs/promises'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import {
  type Breathe,
  type JsonObject,
  listIn,
  objectIn,
  objectOfLine,
  stringIn,
  wholeLines,
} from './history-lines.ts'

/** Bytes of a session in one value beyond which it is not read. */
const LARGEST_VALUE = 64 * 1024 * 1024

interface GeminiSession {
  /** What the session says of itself. */
  readonly about: JsonObject
  /** In their order; those that were taken back are left out. */
  readonly messages: readonly JsonObject[]
  /** Lines and values that are no JSON, or too long. */
  readonly unread: number
}

/** Throws the error of the system, and for a value that is too large. */
export async function geminiSession(path: string, breathe: Breathe): Promise<GeminiSession> {
  if (path.endsWith('.jsonl')) return fromLines(path, breathe)
  const { size } = await stat(path)
  if (size > LARGEST_VALUE) throw new Error(`it has ${Math.round(size / 1024 / 1024)} MB`)
  const whole = objectIn(jsonOrUndefined(await readFile(path, 'utf8')))
  const messages = listIn(whole['messages']).map(objectIn)
  return { about: whole, messages, unread: Object.keys(whole).length === 0 && size > 0 ? 1 : 0 }
}

/** A message with a known id replaces the one before; `$set` changes what the session says, perhaps all messages. */
async function fromLines(path: string, breathe: Breathe): Promise<GeminiSession> {
  let about: JsonObject = {}
  let unread = 0
  const messages = new Map<string, JsonObject>()
  const add = (message: JsonObject) => {
    const id = stringIn(message['id']) || `message-${messages.size}`
    messages.set(id, message)
  }
  for await (const { lines, tooLong } of wholeLines(path, { breathe })) {
    unread += tooLong
    for (const line of lines) {
      const value = line.length === 0 ? undefined : objectOfLine(line)
      if (value === null) unread++
      if (value === null || value === undefined) continue
      const { $set: change, $rewindTo: id } = value
      if (typeof id === 'string') takeBack(messages, id)
      else if (change !== undefined) {
        const { messages: all, ...rest } = objectIn(change)
        about = { ...about, ...rest }
        if (Array.isArray(all)) {
          messages.clear()
          for (const message of all) add(objectIn(message))
        }
      } else if (value['type'] === undefined && value['sessionId'] !== undefined) {
        about = { ...about, ...value }
        for (const message of listIn(value['messages'])) add(objectIn(message))
      } else add(value)
    }
  }
  return { about, messages: [...messages.values()], unread }
}

/** The message and all after it; an unknown one takes back all. */
function takeBack(messages: Map<string, JsonObject>, id: string): void {
  const ids = [...messages.keys()]
  for (const one of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(one)
}
