/**
 * A page of a transcript, read from its end backwards: only the lines of the page are parsed. An older page
 * is found by halving the file, since every line says its number; so no index is needed.
 */
import type { FileHandle } from 'node:fs/promises'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { firstLineAfter, type GoodLine, goodLine } from './good-line.ts'
import { damageFailure } from './log-failures.ts'
import { agentLogKind } from './log-kind.ts'
import { decodeEvent, headOf, isIntact } from './log-line.ts'
import { readBackwards, readForwards } from './read-lines.ts'
import { openForReading } from './read-log.ts'

interface Page {
  /** Oldest first. */
  readonly events: readonly AgentEvent[]
  /** Of the transcript, those included that this version does not understand. */
  readonly total: number
}

/**
 * Up to `limit` events before number `before` (null: the end). Events that this version does not understand
 * are left out. A page ends early above a damaged line; the one that would begin there fails with `damaged`.
 */
export async function readPage(
  path: string,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<Result<Page>> {
  const opened = await openForReading(path)
  if (!opened.ok) return opened
  const file = opened.value
  if (!file) return ok({ events: [], total: 0 })
  try {
    const last = await lastGoodLine(file)
    if (!last) return ok({ events: [], total: 0 })
    const total = last.seq + 1
    const end = Math.min(before ?? total, total)
    if (end <= 0 || limit <= 0) return ok({ events: [], total })
    const to = end === total ? last.end : await endOfLine(file, end - 1, last)
    if (to === null) return fail(damageFailure(path, end))
    const { events, stoppedAt } = await collect(file, { to, end, limit })
    if (events.length === 0 && stoppedAt !== null) return fail(damageFailure(path, stoppedAt))
    return ok({ events: events.reverse(), total })
  } catch (error) {
    return fail(diskFailure(error, 'The transcript can’t be read', path))
  } finally {
    await file.close()
  }
}

/** Events before byte `to`, whose last line has number `end` - 1, the newest first. */
async function collect(
  file: FileHandle,
  { to, end, limit }: { readonly to: number; readonly end: number; readonly limit: number },
): Promise<{ readonly events: AgentEvent[]; readonly stoppedAt: number | null }> {
  const events: AgentEvent[] = []
  let seq = end - 1
  for await (const { bytes } of readBackwards(file, { to })) {
    if (!isIntact(bytes) || headOf(bytes)?.seq !== seq) return { events, stoppedAt: seq + 1 }
    const event = decodeEvent(bytes, agentLogKind)
    if (event.ok) events.push(event.value)
    seq--
    if (events.length === limit || seq < 0) break
  }
  return { events, stoppedAt: null }
}

/** The last intact line: any bytes after it are torn, or are being written. */
async function lastGoodLine(file: FileHandle): Promise<GoodLine | null> {
  const { size } = await file.stat()
  for await (const line of readBackwards(file, { to: size })) {
    const good = goodLine(line)
    if (good) return good
  }
  return null
}

/** Bytes. A smaller range is read from its start. */
const SMALL = 256 * 1024

/** The end of line `seq`, which is before the last line; null if the line can't be found. */
async function endOfLine(file: FileHandle, seq: number, last: GoodLine): Promise<number | null> {
  /** The line starts at `low` or after it, and before `high`. */
  let low = 0
  let high = last.start
  while (high - low > SMALL) {
    const middle = Math.floor((low + high) / 2)
    const found = await firstLineAfter(file, { from: middle, before: high, to: last.end })
    if (found?.seq === seq) return found.end
    if (found && found.seq < seq) low = found.start
    else high = found ? found.start : middle + 1
  }
  for await (const batch of readForwards(file, { from: low, to: last.end }))
    for (const line of batch) {
      const good = goodLine(line)
      if (good?.seq === seq) return good.end
      if (good && good.seq > seq) return null
    }
  return null
}
