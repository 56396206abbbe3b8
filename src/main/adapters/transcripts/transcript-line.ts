/**
 * One line of a transcript: an event as JSON whose last key is a checksum, so that a torn or altered line
 * is told from a whole one, and `jq` still reads it. The checksum (CRC-32) is that of the bytes before it.
 */
import { crc32 } from 'node:zlib'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { fail, type Result } from '../../../shared/result.ts'
import { type EventFailure, upcastEvent } from '../../../shared/upcast-event.ts'

const SUM_KEY = ',"sum":"'
/** `,"sum":"0a1b2c3d"}` */
const SUM_LENGTH = SUM_KEY.length + 8 + 2
/** The end of a line with its newline: enough to recognise the line by. */
export const LINE_END_LENGTH = SUM_LENGTH + 1

export interface LineHead {
  readonly version: number
  readonly seq: number
  readonly type: string
}

/**
 * The line of an object that has a key or more, newline included. The keys of an event's head (`v` to `type`)
 * should come first: then a line is found without parsing it.
 */
export function encodeLine(value: object): string {
  const body = JSON.stringify(value).slice(0, -1)
  return `${body}${SUM_KEY}${hex(crc32(body))}"}\n`
}

/** Whether the line (without its newline) is as it was written. */
export function isWhole(line: Buffer): boolean {
  const end = line.length - SUM_LENGTH
  if (end < 1 || line.toString('latin1', end, end + SUM_KEY.length) !== SUM_KEY) return false
  return line.toString('latin1', end + SUM_KEY.length) === `${hex(crc32(line.subarray(0, end)))}"}`
}

/** What the line says it is; null where it is no event. Reads the start of the line only. */
export function headOf(line: Buffer): LineHead | null {
  const match = HEAD.exec(line.toString('latin1', 0, HEAD_LENGTH))
  if (match) return { version: Number(match[1]), seq: Number(match[2]), type: match[3] ?? '' }
  const raw = parse(line)
  if (typeof raw !== 'object' || raw === null) return null
  const { v, seq, type } = raw as Record<string, unknown>
  return typeof seq === 'number' ? { version: Number(v), seq, type: String(type) } : null
}

/** The event of a line that is whole. */
export function decodeEvent(line: Buffer): Result<AgentEvent, EventFailure> {
  const raw = parse(line)
  return raw === undefined ? fail({ type: 'invalid-event', message: 'It is not JSON.' }) : upcastEvent(raw)
}

const HEAD = /^\{"v":(\d+),"agentId":"[^"\\]*","seq":(\d+),"order":\d+,"at":[-+.\deE]+,"type":"([^"\\]+)"/
const HEAD_LENGTH = 320

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}

/** The value, or undefined where it is not JSON. */
export function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}
