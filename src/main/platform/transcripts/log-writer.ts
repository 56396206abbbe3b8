/**
 * The writing end of one log. Events wait in memory; one write and one sync serve all callers that wait. Bytes
 * that are not certainly on disk stay in memory and are written again after an error.
 */
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { LogFile, logFileFailure, type OpenFile } from './log-file.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'
import { decodeEvent, encodeLine } from './log-line.ts'
import type { LogPaths } from './read-log.ts'
import { writeSnapshot } from './state-snapshot.ts'

interface WriterOptions<E extends LogEvent, S extends FoldedLog> extends LogPaths {
  readonly kind: LogKind<E, S>
  readonly open?: OpenFile | undefined
  /** The content on disk; absent for a new log. */
  readonly start?: WriterStart<S> | undefined
}

/** The position at which an existing log continues. */
export interface WriterStart<S> {
  readonly bytes: number
  readonly events: number
  /** The end of the last line, newline included. */
  readonly lineEnd: string
  readonly state: S | null
}

/** Characters that may wait before the writer writes by itself. */
const MOST_WAITING = 256 * 1024
/** Bytes that may be written without a sync. Memory keeps them until then, in case the sync fails. */
const MOST_UNSYNCED = 1024 * 1024

interface Waiter {
  readonly durable: boolean
  readonly resolve: (result: Result<void>) => void
}

export class LogWriter<E extends LogEvent, S extends FoldedLog> {
  private readonly kind: LogKind<E, S>
  private readonly file: LogFile
  private readonly snapshot: string
  /** Lines that no write has taken, and their characters. */
  private lines: string[] = []
  private waitingSize = 0
  /** Bytes that were written without a sync, and bytes that were taken and are not written. */
  private unsynced: Buffer[] = []
  private unwritten: Buffer[] = []
  /** Numbers of events. */
  private appended: number
  private written: number
  private synced: number
  /** The fold over all appended events, and over the events that a write has taken. */
  private current: S | null
  private takenState: S | null
  private snapshotBytes: number

  private waiters: Waiter[] = []
  private work: Promise<void> | null = null
  private failing = false
  /** Set by an event that can't be written. Later events are dropped, because a gap would damage the log. */
  private broken: Failure | null = null

  constructor({ log, snapshot, kind, open, start }: WriterOptions<E, S>) {
    const { bytes, events, lineEnd, state } = start ?? { bytes: 0, events: 0, lineEnd: '', state: null }
    this.kind = kind
    this.file = new LogFile({ path: log, bytes, lineEnd, open })
    this.snapshot = snapshot
    this.appended = events
    this.written = events
    this.synced = events
    this.current = state
    this.takenState = state
    this.snapshotBytes = bytes
  }

  /** The fold over all appended events. */
  get state(): S | null {
    return this.current
  }

  /** Queues an event. */
  append(event: E): void {
    if (this.broken) return
    try {
      if (event.seq !== this.appended) throw new Error(`event ${event.seq} came, ${this.appended} was due`)
      const line = encodeLine(event)
      this.current = this.kind.fold(this.current, event)
      this.lines.push(line)
      this.waitingSize += line.length
      this.appended++
    } catch (error) {
      this.broken = {
        type: 'bug',
        message: `Internal error: an event can’t be written to the log (${messageOf(error)}). Earlier events are saved.`,
        cause: error,
      }
    }
    if (this.waitingSize > MOST_WAITING) this.writeSoon()
  }

  /** Writes without a sync. After a failed write only a flush tries again. */
  writeSoon(): void {
    if (!this.failing && !this.work && this.lines.length > 0) void this.drain()
  }

  /** Resolves when every appended event can be read from the file. */
  async drain(): Promise<Result<void>> {
    return this.written === this.appended ? ok(undefined) : this.wait(false)
  }

  /** Appended events that are not in the file, oldest first. */
  unwrittenEvents(): readonly E[] {
    const text = Buffer.concat(this.unwritten).toString() + this.lines.join('')
    return text
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => {
        const event = decodeEvent(Buffer.from(line), this.kind)
        return event.ok ? [event.value] : []
      })
  }

  /** Resolves when every appended event is on disk. */
  async flush(): Promise<Result<void>> {
    const flushed = this.synced === this.appended ? ok(undefined) : await this.wait(true)
    return flushed.ok && this.broken ? fail(this.broken) : flushed
  }

  /** Opens the file, or makes it again with its former content where another program deleted it. */
  async restore(): Promise<Result<void>> {
    await this.work
    try {
      await this.file.restore()
      return ok(undefined)
    } catch (error) {
      return fail(logFileFailure(error, this.file.path))
    }
  }

  /** Flushes, writes a snapshot, closes the file. */
  async close(): Promise<Result<void>> {
    const flushed = await this.flush()
    await this.work
    if (flushed.ok && this.snapshotBytes < this.file.syncedBytes) await this.writeSnapshot()
    await this.file.close()
    return flushed
  }

  private wait(durable: boolean): Promise<Result<void>> {
    return new Promise((resolve) => {
      this.waiters.push({ durable, resolve })
      this.work ??= this.serve()
    })
  }

  /** The only loop that touches the file. Each round serves all callers that wait when it begins. */
  private async serve(): Promise<void> {
    while (this.waiters.length > 0) {
      const served = this.waiters
      this.waiters = []
      const failure = await this.write(served.some((waiter) => waiter.durable))
      this.failing = failure !== null
      for (const { resolve } of served) resolve(failure ? fail(failure) : ok(undefined))
      if (!failure) await this.afterWrite()
    }
    this.work = null
  }

  private async write(durable: boolean): Promise<Failure | null> {
    try {
      const taken = this.take()
      const bytes = this.unwritten.length > 1 ? Buffer.concat(this.unwritten) : this.unwritten[0]
      if (bytes) {
        await this.file.write(bytes)
        this.unsynced.push(bytes)
      }
      this.unwritten = []
      this.written = taken
      if (!durable && this.file.unsyncedBytes <= MOST_UNSYNCED) return null
      await this.file.sync()
      this.unsynced = []
      this.synced = taken
      return null
    } catch (error) {
      this.unwritten = [...this.unsynced, ...this.unwritten]
      this.unsynced = []
      this.written = this.synced
      await this.file.giveUp()
      return logFileFailure(error, this.file.path)
    }
  }

  /** Turns the waiting lines into bytes. @returns the number of events then */
  private take(): number {
    if (this.lines.length > 0) this.unwritten.push(Buffer.from(this.lines.join('')))
    this.lines = []
    this.waitingSize = 0
    this.takenState = this.current
    return this.appended
  }

  /** Writes a snapshot if it saves reading, and closes the file of a log that is over. */
  private async afterWrite(): Promise<void> {
    const unsaved = this.file.syncedBytes - this.snapshotBytes
    if (this.file.unsyncedBytes > 0 || unsaved === 0) return
    const isOver = this.takenState !== null && this.kind.isOver(this.takenState)
    if (isOver || unsaved > this.kind.snapshotAfter) await this.writeSnapshot()
    if (isOver && this.lines.length === 0) await this.file.close()
  }

  private async writeSnapshot(): Promise<void> {
    this.snapshotBytes = this.file.syncedBytes
    const { syncedBytes: bytes, lineEnd } = this.file
    // A missing snapshot only makes opening slower.
    if (this.takenState)
      await writeSnapshot(this.snapshot, { bytes, lineEnd, state: this.takenState }, this.kind).catch(
        () => undefined,
      )
  }
}
