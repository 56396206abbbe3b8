/**
 * One line of a log: an event as JSON whose last key is a checksum (CRC-32 of the bytes before it). A torn or
 * altered line is recognized, and `jq` can read every line.
 */

import { crc32 } from 'node:zlib'
import type { EventFailure } from '../../../shared/events/upcast-event.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { fail, type Result } from '../../../shared/kernel/result.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'

/** How a line ends: `,"sum":"0a1b2c3d"}` */
const SUM_KEY = ',"sum":"'
const SUM_KEY_BYTES = Buffer.from(SUM_KEY)
const DIGITS = 8
const SUM_LENGTH = SUM_KEY.length + DIGITS + 2
const QUOTE = 0x22
const BRACE = 0x7d
/** The length of a line's end with LF: enough to recognize the line. */
export const LINE_END_LENGTH = SUM_LENGTH + 1

export interface LineHead {
  readonly version: number
  readonly seq: number
  readonly order: number
  readonly type: string
}

/**
 * The line of an object with at least one key, newline included. Readers are fastest where the keys of an
 * event's head (`v` to `type`) come first.
 */
export function encodeLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1)
  return `${body}${SUM_KEY}${hex(crc32(body))}"}\n`
}

/** Whether the line (without its line end) is intact. Compares bytes: this is done for every line of every log. */
export function isIntact(line: Buffer): boolean {
  const end = line.length - SUM_LENGTH
  if (end < 1 || line[line.length - 2] !== QUOTE || line[line.length - 1] !== BRACE) return false
  for (let at = 0; at < SUM_KEY.length; at++) if (line[end + at] !== SUM_KEY_BYTES[at]) return false
  let sum = 0
  for (let at = end + SUM_KEY.length; at < line.length - 2; at++) {
    const digit = DIGIT_OF[line[at] ?? 0] ?? -1
    if (digit < 0) return false
    sum = sum * 16 + digit
  }
  return crc32(line.subarray(0, end)) === sum
}

/** Version, numbers and type of the event in a line; null if the line is no event. Reads the start only. */
export function headOf(line: Buffer): LineHead | null {
  const match = HEAD.exec(line.toString('latin1', 0, HEAD_LENGTH))
  if (match)
    return { version: Number(match[1]), seq: Number(match[2]), order: Number(match[3]), type: match[4] ?? '' }
  return headIn(parse(line))
}

/** The same of the value in a line. */
export function headIn(raw: unknown): LineHead | null {
  if (typeof raw !== 'object' || raw === null) return null
  const { v, seq, order, type } = raw as Record<string, unknown>
  if (typeof seq !== 'number' || typeof order !== 'number') return null
  return { version: Number(v), seq, order, type: String(type) }
}

/** The value in an intact line, without the checksum; undefined where it is not JSON. */
export function lineValue(line: Buffer): unknown {
  const end = line.length - SUM_LENGTH
  const [comma = 0] = line.subarray(end)
  // The object ends here for a moment. To delete the key of the checksum would take longer, and leave a slow object.
  line[end] = BRACE
  const value = jsonOrUndefined(line.toString('utf8', 0, end + 1))
  line[end] = comma
  return value
}

/** The event of an intact line. @param raw its value, where it was parsed already */
export function decodeEvent<E extends LogEvent, S extends FoldedLog>(
  line: Buffer,
  kind: LogKind<E, S>,
  raw = lineValue(line),
): Result<E, EventFailure> {
  return raw === undefined
    ? fail({ type: 'invalid-event', message: 'The line is not JSON.' })
    : kind.parse(raw)
}

const HEAD =
  /^\{"v":(\d+),"(?:agent|conversation)Id":"[^"\\]*","seq":(\d+),"order":(\d+),"at":[-+.\deE]+,"type":"([^"\\]+)"/
const HEAD_LENGTH = 320

/** By byte: the value of a hexadecimal digit as lines have it; -1 for every other byte. */
const DIGIT_OF = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte)),
)

const hex = (sum: number): string => sum.toString(16).padStart(DIGITS, '0')

/** The value, or undefined where it is not JSON. */
export const parse = (line: Buffer): unknown => jsonOrUndefined(line.toString('utf8'))
