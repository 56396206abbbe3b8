/**
 * One line of a log: an event as JSON whose last key is a checksum (CRC-32 of the bytes before it). A torn or
 * altered line is recognized, and `jq` can read every line.
 */

import { crc32 } from 'node:zlib'
import type { EventFailure } from '../../../shared/events/upcast-event.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { fail, type Result } from '../../../shared/kernel/result.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'

const SUM_KEY = ',"sum":"'
/** `,"sum":"0a1b2c3d"}` */
const SUM_LENGTH = SUM_KEY.length + 8 + 2
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

/** Whether the line (without its line end) is intact. */
export function isIntact(line: Buffer): boolean {
  const end = line.length - SUM_LENGTH
  if (end < 1 || line.toString('latin1', end, end + SUM_KEY.length) !== SUM_KEY) return false
  return line.toString('latin1', end + SUM_KEY.length) === `${hex(crc32(line.subarray(0, end)))}"}`
}

/** Version, numbers and type of the event in a line; null if the line is no event. Reads the start only. */
export function headOf(line: Buffer): LineHead | null {
  const match = HEAD.exec(line.toString('latin1', 0, HEAD_LENGTH))
  if (match)
    return { version: Number(match[1]), seq: Number(match[2]), order: Number(match[3]), type: match[4] ?? '' }
  const raw = parse(line)
  if (typeof raw !== 'object' || raw === null) return null
  const { v, seq, order, type } = raw as Record<string, unknown>
  if (typeof seq !== 'number' || typeof order !== 'number') return null
  return { version: Number(v), seq, order, type: String(type) }
}

/** The event of a whole line. */
export function decodeEvent<E extends LogEvent, S extends FoldedLog>(
  line: Buffer,
  kind: LogKind<E, S>,
): Result<E, EventFailure> {
  const raw = parse(line)
  return raw === undefined
    ? fail({ type: 'invalid-event', message: 'The line is not JSON.' })
    : kind.parse(raw)
}

const HEAD =
  /^\{"v":(\d+),"(?:agent|conversation)Id":"[^"\\]*","seq":(\d+),"order":(\d+),"at":[-+.\deE]+,"type":"([^"\\]+)"/
const HEAD_LENGTH = 320

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}

/** The value, or undefined where it is not JSON. */
export const parse = (line: Buffer): unknown => jsonOrUndefined(line.toString('utf8'))
