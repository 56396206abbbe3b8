/** A position in one log. Reads forward and keeps one chunk of the log in memory. */
import type { FileHandle } from 'node:fs/promises'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { firstLineAfter } from './good-line.ts'
import { damageFailure, notUnderstoodFailure } from './log-failures.ts'
import type { FoldedLog, LogKind } from './log-kind.ts'
import { decodeEvent } from './log-line.ts'
import { fits, openForReading } from './read-log.ts'
import { type LogLine, lineEndOf, type WalkStep, walkLog } from './walk-log.ts'

/** The lines of a log that were read. */
export interface LogPosition {
  readonly bytes: number
  readonly events: number
  /** The end of the last of these lines, newline included; empty before the first line. */
  readonly lineEnd: string
}

export const logStart: LogPosition = { bytes: 0, events: 0, lineEnd: '' }

/** The cursor of a log whose events have any type. */
export interface EventCursor {
  /** Of the next event; null at the end. */
  readonly order: number | null
  /** The log can't be read past this point. */
  readonly failure: Failure | null
  /** The first event of a newer version that `take` left out. */
  readonly notUnderstood: Failure | null
  readonly position: LogPosition
  /** Whether the log ends with events that are only in memory. */
  readonly hasUnwritten: boolean
  /** The next event; null if a newer version wrote the event. Only where `order` is a number. */
  take(): LoggedEvent | null
  /** Reads the next chunk where the last one was used up. To be called after `take`. */
  fill(): Promise<void>
  close(): Promise<void>
}

interface CursorOptions<E extends LoggedEvent, S extends FoldedLog> {
  readonly path: string
  readonly kind: LogKind<E, S>
  /** Events after those in the file. */
  readonly unwritten: readonly E[]
  /** The first order to read, or the position to continue from. */
  readonly start: { readonly order: number } | LogPosition
}

const CHUNK = 64 * 1024

/** Null if `start` is a position in another log, or in an earlier form of this one. */
export async function openCursor<E extends LoggedEvent, S extends FoldedLog>(
  options: CursorOptions<E, S>,
): Promise<Result<EventCursor | null>> {
  const { path, start } = options
  const opened = await openForReading(path)
  if (!opened.ok) return opened
  const file = opened.value
  try {
    const { size } = (await file?.stat()) ?? { size: 0 }
    const position = await startOf(start, file, size)
    const cursor = position && new LogCursor(options, position, file && { file, size })
    if (!cursor) {
      await file?.close()
      return ok(null)
    }
    await cursor.fill()
    if ('order' in start) await cursor.skipTo(start.order)
    return ok(cursor)
  } catch (error) {
    await file?.close()
    return fail(diskFailure(error, 'The transcript can’t be read', path))
  }
}

async function startOf(
  start: { readonly order: number } | LogPosition,
  file: FileHandle | null,
  size: number,
): Promise<LogPosition | null> {
  if ('order' in start)
    return file ? { ...logStart, ...(await seekOrder(file, start.order, size)) } : logStart
  if (start.bytes === 0) return start
  return file && (await fits(start, file, size)) ? start : null
}

class LogCursor<E extends LoggedEvent, S extends FoldedLog> implements EventCursor {
  position: LogPosition
  /** A field: the merge compares those of all logs for each event. */
  order: number | null = null
  failure: Failure | null = null
  notUnderstood: Failure | null = null
  readonly hasUnwritten: boolean
  private readonly path: string
  private readonly kind: LogKind<E, S>
  private file: FileHandle | null
  private readonly steps: AsyncGenerator<WalkStep> | null
  private lines: readonly LogLine[] = []
  private nextLine = 0
  /** Null until the file was read to its end. */
  private tail: readonly E[] | null = null
  private readonly unwritten: readonly E[]

  constructor(
    { path, kind, unwritten }: CursorOptions<E, S>,
    position: LogPosition,
    open: { readonly file: FileHandle; readonly size: number } | null,
  ) {
    this.path = path
    this.kind = kind
    this.unwritten = unwritten
    this.hasUnwritten = unwritten.length > 0
    this.position = position
    this.file = open?.file ?? null
    const { bytes: from, events } = position
    this.steps = open && walkLog(open.file, { from, events, to: open.size, chunk: CHUNK })
  }

  take(): E | null {
    const line = this.advance()
    if (!line) {
      const [event = null, ...tail] = this.tail ?? []
      this.setTail(tail)
      return event
    }
    const event = decodeEvent(line.bytes, this.kind)
    if (event.ok) return event.value
    this.notUnderstood ??= notUnderstoodFailure(this.path, line.seq + 1)
    return null
  }

  async fill(): Promise<void> {
    try {
      while (this.nextLine === this.lines.length && this.tail === null) await this.readChunk()
    } catch (error) {
      this.failure = diskFailure(error, 'The transcript can’t be read', this.path)
      await this.end([])
    }
  }

  /** Leaves out the events of lower orders. */
  async skipTo(order: number): Promise<void> {
    while (this.order !== null && this.order < order) {
      if (!this.advance()) this.setTail(this.tail?.slice(1) ?? [])
      await this.fill()
    }
  }

  async close(): Promise<void> {
    const { file } = this
    this.file = null
    await file?.close()
  }

  private advance(): LogLine | null {
    const line = this.lines[this.nextLine]
    if (!line) return null
    this.nextLine++
    this.order = this.lines[this.nextLine]?.order ?? null
    this.position = {
      bytes: line.end + (line.ended ? 0 : 1),
      events: line.seq + 1,
      lineEnd: lineEndOf(line),
    }
    return line
  }

  private async readChunk(): Promise<void> {
    const step = (await this.steps?.next())?.value
    this.lines = step?.kind === 'lines' ? step.lines : []
    this.nextLine = 0
    this.order = this.lines[0]?.order ?? null
    if (step?.kind === 'lines') return
    if (step?.end.kind === 'damaged') this.failure = damageFailure(this.path, step.end.events + 1)
    const next = this.position.events
    await this.end(this.failure ? [] : this.unwritten.filter(({ seq }) => seq >= next))
  }

  /** Closes the file at once: a conversation may have hundreds of logs. */
  private async end(tail: readonly E[]): Promise<void> {
    this.lines = []
    this.nextLine = 0
    this.setTail(tail)
    await this.close()
  }

  private setTail(tail: readonly E[]): void {
    this.tail = tail
    this.order = tail[0]?.order ?? null
  }
}

/** Smaller ranges are read from their start. */
const SMALL = 256 * 1024

/** The start of a line near the first event of this order or a higher one, and never after this event. */
async function seekOrder(
  file: FileHandle,
  order: number,
  size: number,
): Promise<{ readonly bytes: number; readonly events: number }> {
  let low = { bytes: 0, events: 0 }
  /** Every line that starts here or later has at least the order. */
  let high = size
  while (high - low.bytes > SMALL) {
    const middle = Math.floor((low.bytes + high) / 2)
    const found = await firstLineAfter(file, { from: middle, before: high, to: size })
    if (found && found.order < order) low = { bytes: found.start, events: found.seq }
    else high = middle + 1
  }
  return low
}
