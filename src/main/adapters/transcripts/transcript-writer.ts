/**
 * The writing end of one agent's transcript. Events wait in memory; one write and one sync serve all that
 * wait for them. What is not certain to be on the disk stays in memory, so that after any error the same
 * bytes are written again.
 */
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/agent-state.ts'
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import { SNAPSHOT_WORTH, writeSnapshot } from './state-snapshot.ts'
import { fileFailure, type OpenFile, TranscriptFile } from './transcript-file.ts'
import { decodeEvent, encodeLine } from './transcript-line.ts'

export interface WriterOptions {
  readonly transcript: string
  readonly snapshot: string
  readonly open?: OpenFile | undefined
  /** What lies on the disk already; absent for a new agent. */
  readonly start?: WriterStart | undefined
}

/** Where a transcript that exists goes on. */
export interface WriterStart {
  readonly bytes: number
  readonly events: number
  /** How the last line ends, newline included. */
  readonly lineEnd: string
  readonly state: AgentState | null
}

/** Characters that may wait before they are written unasked. */
const MOST_WAITING = 256 * 1024
/** Bytes that may be written without a sync: until then memory keeps them, should the sync fail. */
const MOST_UNSYNCED = 1024 * 1024

interface Waiter {
  readonly durable: boolean
  readonly resolve: (result: Result<void>) => void
}

export class TranscriptWriter {
  private readonly file: TranscriptFile
  private readonly snapshot: string
  /** Lines that no write has taken, and how many characters they are. */
  private lines: string[] = []
  private waitingSize = 0
  /** Bytes that were written and are not certain, and those that were taken and are not written. */
  private unsynced: Buffer[] = []
  private unwritten: Buffer[] = []
  /** Numbers of events. */
  private appended: number
  private written: number
  private synced: number
  /** The fold over what was appended, and over what a write has taken. */
  private state: AgentState | null
  private takenState: AgentState | null
  private snapshotBytes: number

  private waiters: Waiter[] = []
  private work: Promise<void> | null = null
  private failing = false
  /** Set by an event that can't be written. Nothing after it is: that would leave a gap. */
  private broken: Failure | null = null

  constructor({ transcript, snapshot, open, start = nothing }: WriterOptions) {
    const { bytes, events, lineEnd, state } = start
    this.file = new TranscriptFile({ path: transcript, bytes, lineEnd, open })
    this.snapshot = snapshot
    this.appended = events
    this.written = events
    this.synced = events
    this.state = state
    this.takenState = state
    this.snapshotBytes = bytes
  }

  /** Queues an event. */
  append(event: AgentEvent): void {
    if (this.broken) return
    try {
      if (event.seq !== this.appended) throw new Error(`event ${event.seq} came, ${this.appended} was due`)
      const line = encodeLine(event)
      this.state = foldAgent(this.state, event)
      this.lines.push(line)
      this.waitingSize += line.length
      this.appended++
    } catch (error) {
      this.broken = {
        type: 'bug',
        message: `Troupe itself failed here: the transcript can’t take an event (${messageOf(error)}). What came before it is saved.`,
        cause: error,
      }
    }
    if (this.waitingSize > MOST_WAITING) this.writeSoon()
  }

  /** Writes what waits, without a sync. After trouble with the disk only a flush tries again. */
  writeSoon(): void {
    if (!this.failing && !this.work && this.lines.length > 0) void this.drain()
  }

  /** Resolves when all that was appended can be read from the file. */
  async drain(): Promise<Result<void>> {
    return this.written === this.appended ? ok(undefined) : this.wait(false)
  }

  /** What was appended and is not in the file, oldest first: after a failed `drain`, what the disk refuses. */
  unwrittenEvents(): readonly AgentEvent[] {
    const text = Buffer.concat(this.unwritten).toString() + this.lines.join('')
    return text
      .split('\n')
      .slice(0, -1)
      .flatMap((line) => {
        const event = decodeEvent(Buffer.from(line))
        return event.ok ? [event.value] : []
      })
  }

  /** Resolves when all that was appended is on the disk. */
  async flush(): Promise<Result<void>> {
    const flushed = this.synced === this.appended ? ok(undefined) : await this.wait(true)
    return flushed.ok && this.broken ? fail(this.broken) : flushed
  }

  /** Flushes, leaves a snapshot, closes the file. */
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

  /** The one loop that touches the file: each round serves all who wait when it begins. */
  private async serve(): Promise<void> {
    while (this.waiters.length > 0) {
      const served = this.waiters
      this.waiters = []
      const failure = await this.write(served.some((waiter) => waiter.durable))
      this.failing = failure !== null
      for (const { resolve } of served) resolve(failure ? fail(failure) : ok(undefined))
      if (!failure) await this.rest()
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
      return fileFailure(error, this.file.path)
    }
  }

  /** Makes bytes of all lines that wait. @returns how many events there are then */
  private take(): number {
    if (this.lines.length > 0) this.unwritten.push(Buffer.from(this.lines.join('')))
    this.lines = []
    this.waitingSize = 0
    this.takenState = this.state
    return this.appended
  }

  /** A snapshot where it saves reading, and no open file for an agent that has ended. */
  private async rest(): Promise<void> {
    const unsaved = this.file.syncedBytes - this.snapshotBytes
    if (this.file.unsyncedBytes > 0 || unsaved === 0) return
    const hasEnded = this.takenState?.endedAt != null
    if (hasEnded || unsaved > SNAPSHOT_WORTH) await this.writeSnapshot()
    if (hasEnded && this.lines.length === 0) await this.file.close()
  }

  private async writeSnapshot(): Promise<void> {
    this.snapshotBytes = this.file.syncedBytes
    const { syncedBytes: bytes, lineEnd } = this.file
    // Without one, opening is slower and nothing else.
    if (this.takenState)
      await writeSnapshot(this.snapshot, { bytes, lineEnd, state: this.takenState }).catch(() => undefined)
  }
}

const nothing: WriterStart = { bytes: 0, events: 0, lineEnd: '', state: null }
