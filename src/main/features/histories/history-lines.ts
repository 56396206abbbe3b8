/**
 * Reads the lines of files that other programs write, perhaps at this moment. A last line without its end is left for the
 * next time; a line that is too long is passed over without filling the memory. Works in short turns, so that the program
 * stays quick meanwhile.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'

/** Bytes of a line beyond which it is passed over. An image in a message has a few megabytes. */
const LONGEST_LINE = 32 * 1024 * 1024
const CHUNK = 512 * 1024
const NEWLINE = 0x0a
/** ms of work after which others get their turn. */
const TURN_MS = 6

/** Lets others work if this work has taken long enough. */
export type Breathe = () => Promise<void> | undefined

/** @param elapsed ms, for durations */
export function createBreathing(elapsed: () => number): Breathe {
  let since = elapsed()
  return () => {
    if (elapsed() - since < TURN_MS) return undefined
    return setImmediate().then(() => {
      since = elapsed()
    })
  }
}

interface LineReading {
  readonly from?: number
  /** The reading ends here; by default at the end that the file has at the start. */
  readonly to?: number
  readonly longest?: number
  readonly breathe: Breathe
}

/** What a piece of a file has. The bytes are valid until the next piece is asked for. */
interface LinePiece {
  /** Without their ends. */
  readonly lines: readonly Buffer[]
  /** Lines that were passed over because of their length. */
  readonly tooLong: number
  /** The position after the last whole line. */
  readonly end: number
}

/** The whole lines of a file, in pieces. Throws the error of the system. */
export async function* wholeLines(
  path: string,
  { from = 0, to, longest = LONGEST_LINE, breathe }: LineReading,
): AsyncGenerator<LinePiece> {
  const file = await open(path, 'r')
  try {
    let begun: Buffer[] = []
    let begunLength = 0
    let end = from
    let position = from
    for await (const bytes of isPacked(path) ? unpacked(path, file) : piecesOf(file, from, to)) {
      const lines: Buffer[] = []
      let tooLong = 0
      let start = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
        const rest = bytes.subarray(start, at)
        if (begunLength + rest.length > longest) tooLong++
        else lines.push(begunLength === 0 ? rest : Buffer.concat([...begun, rest]))
        begun = []
        begunLength = 0
        start = at + 1
        end = position + start
      }
      const rest = bytes.subarray(start)
      begunLength += rest.length
      if (begunLength > longest) begun = []
      else if (rest.length > 0) begun.push(Buffer.from(rest))
      position += bytes.length
      if (lines.length + tooLong > 0) yield { lines, tooLong, end }
      await breathe()
    }
  } finally {
    await file.close()
  }
}

/** The bytes are valid until the next piece is asked for. */
async function* piecesOf(file: FileHandle, from: number, to: number | undefined): AsyncGenerator<Buffer> {
  const size = to ?? (await file.stat()).size
  const chunk = Buffer.allocUnsafe(CHUNK)
  for (let position = from; position < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK, size - position), position)
    if (bytesRead === 0) return
    yield chunk.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** Whether the lines of a file are compressed. */
export const isPacked = (path: string): boolean => /\.(zst|gz)$/.test(path)

/** Whether this Node can read such a file: it knows Zstandard since 22.15. */
export const canUnpack = (path: string): boolean => !path.endsWith('.zst') || zstd !== undefined

const { createZstdDecompress: zstd } = zlib as Partial<typeof zlib>

async function* unpacked(path: string, file: FileHandle): AsyncGenerator<Buffer> {
  const unpacking = path.endsWith('.zst') ? zstd?.() : zlib.createGunzip()
  if (unpacking === undefined) throw new Error('this Node knows no Zstandard')
  // A failure of the file ends the unpacking, which throws it below.
  pipeline(file.createReadStream({ autoClose: false }), unpacking, () => {})
  yield* unpacking
}

/** A value of JSON that another program wrote: nothing is known of it. */
export type JsonObject = Readonly<Record<string, unknown>>
const NOTHING: JsonObject = {}

export const objectIn = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : NOTHING
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const stringIn = (value: unknown): string => (typeof value === 'string' ? value : '')
export const numberIn = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0

/** The object in a line; null: it is something else, or no JSON. */
export function objectOfLine(line: Buffer): JsonObject | null {
  const value = jsonOrUndefined(line.toString('utf8'))
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
}

/** The words of a text. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** ms since the epoch, from a number or a text; null: it is no time of this century. */
export function timeIn(value: unknown): number | null {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return time >= EARLIEST && time <= LATEST ? Math.floor(time) : null
}

const EARLIEST = Date.UTC(2000)
const LATEST = Date.UTC(2100)

/** The text of blocks `{ type: 'text', text }`, or of a text as it is. */
export function textOfBlocks(content: unknown): string {
  if (typeof content === 'string') return content
  return listIn(content)
    .map((block) => stringIn(typeof block === 'string' ? block : objectIn(block)['text']))
    .filter((text) => text !== '')
    .join('\n')
}

/** The first sentence of a prompt, as a title. */
export function promptTitle(prompt: string): string {
  const line = prompt.trim().split(/\r?\n/, 1)[0]?.trim() ?? ''
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1)}…` : line
}

const LONGEST_TITLE = 100
