/** The one writer of a conversation: its lock, its record, and a writer for each agent that says something. */
import type { AgentEvent } from '../../../shared/agent-event.ts'
import type { ConversationRecord } from '../../../shared/conversation.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { Clock, ConversationLog } from '../../runtime/ports.ts'
import { replaceFile } from './atomic-file.ts'
import type { ConversationLock } from './conversation-lock.ts'
import { type StoreProblem, writeRecord } from './conversation-records.ts'
import { type DataPaths, safeIds } from './data-paths.ts'
import { diskFailure } from './disk-failure.ts'
import type { OpenFile } from './transcript-file.ts'
import { TranscriptWriter, type WriterStart } from './transcript-writer.ts'

export interface OpenLog {
  readonly log: ConversationLog
  /** The writer of an agent that said something since the log was opened. */
  writer(agentId: string): TranscriptWriter | undefined
}

export interface LogOptions {
  readonly record: ConversationRecord
  readonly lock: ConversationLock
  /** Where the transcripts that exist go on. */
  readonly starts: ReadonlyMap<string, WriterStart>
  readonly repaired: NonNullable<ConversationLog['repaired']>
  readonly paths: DataPaths
  readonly clock: Clock
  readonly open: OpenFile | undefined
  readonly onProblem: (problem: StoreProblem) => void
  /** Takes the lock again, should its file have been deleted with the folder. */
  readonly lockAgain: () => Promise<Result<ConversationLock>>
  readonly onClose: () => void
}

/** Events wait at most so long before they are written, unsynced: ms. */
const WRITE_AFTER = 100

export function createConversationLog(options: LogOptions): OpenLog {
  const { paths, clock, onProblem } = options
  const writers = new Map<string, TranscriptWriter>()
  const closing = new AbortController()
  let { record, lock } = options
  let writeIsDue = false
  /** After an error the lock is looked at again before anything is written. */
  let hadTrouble = false
  let lastSave: Promise<unknown> = Promise.resolve()

  function writerOf(agentId: string): TranscriptWriter {
    const here = writers.get(agentId)
    if (here) return here
    const writer = new TranscriptWriter({
      transcript: paths.transcript(agentId),
      snapshot: paths.snapshot(agentId),
      open: options.open,
      start: options.starts.get(agentId),
    })
    writers.set(agentId, writer)
    return writer
  }

  function append(event: AgentEvent): void {
    const refused = closing.signal.aborted ? fail(closed) : safeIds(event.agentId)
    if (!refused.ok) {
      onProblem(refused.failure)
      return
    }
    writerOf(event.agentId).append(event)
    if (writeIsDue) return
    writeIsDue = true
    void clock.sleep(WRITE_AFTER, closing.signal).then(() => {
      writeIsDue = false
      for (const writer of writers.values()) writer.writeSoon()
    })
  }

  async function guarded(write: () => Promise<Result<void>>): Promise<Result<void>> {
    if (hadTrouble) {
      const held = await holdLock()
      if (!held.ok) return held
    }
    const result = await write()
    hadTrouble = !result.ok
    return result
  }

  async function holdLock(): Promise<Result<void>> {
    if (await lock.isOurs().catch(() => false)) return ok(undefined)
    const again = await options.lockAgain()
    if (!again.ok) return again
    lock = again.value
    return writeRecord(paths.record(record.id), record)
  }

  async function flush(agentId: string): Promise<Result<void>> {
    if (closing.signal.aborted) return fail(closed)
    const safe = safeIds(agentId)
    const writer = writers.get(agentId)
    if (!safe.ok || !writer) return safe
    return guarded(() => writer.flush())
  }

  async function save(next: ConversationRecord): Promise<Result<void>> {
    if (closing.signal.aborted) return fail(closed)
    const safe = safeIds(next.mainAgentId, ...next.agentIds)
    if (!safe.ok) return safe
    const saved = lastSave.then(async () => {
      const result = await guarded(() => writeRecord(paths.record(record.id), next))
      if (result.ok) record = next
      return result
    })
    lastSave = saved
    return saved
  }

  async function keepOutput(agentId: string, toolUseId: string, output: string): Promise<Result<string>> {
    if (closing.signal.aborted) return fail(closed)
    const safe = safeIds(agentId, toolUseId)
    if (!safe.ok) return safe
    const path = paths.toolOutput(agentId, toolUseId)
    try {
      await replaceFile(path, output, { durable: true })
      return ok(`tasks/${agentId}/tool-results/${toolUseId}.txt`)
    } catch (error) {
      return fail(diskFailure(error, 'The output can’t be kept', path))
    }
  }

  async function close(): Promise<void> {
    if (closing.signal.aborted) return
    closing.abort()
    const closed = await Promise.all([...writers.values()].map((writer) => writer.close()))
    for (const result of closed) if (!result.ok) onProblem(result.failure)
    await lastSave
    await lock.release()
    options.onClose()
  }

  return {
    log: {
      get record() {
        return record
      },
      repaired: options.repaired,
      save,
      append,
      flush,
      keepOutput,
      transcriptPath: (agentId) => paths.transcript(agentId),
      close,
    },
    writer: (agentId) => writers.get(agentId),
  }
}

const closed: Failure = {
  type: 'closed',
  message: 'This conversation was closed, so nothing more is saved in it. Open it again.',
}
