/** The one writer of a conversation: its lock, its own log, and a log for each agent that emits events. */

import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { isConversationEvent, type LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { ConversationLog } from '../../runtime/ports/transcripts.ts'
import { replaceFile } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import type { ConversationLock } from './conversation-lock.ts'
import type { RecordLog, StoreProblem } from './conversation-records.ts'
import { type DataPaths, safeIds } from './data-paths.ts'
import type { OpenFile } from './log-file.ts'
import { agentLogKind } from './log-kind.ts'
import { LogWriter, type WriterStart } from './log-writer.ts'

type AgentLogWriter = LogWriter<AgentEvent, AgentState>

export interface OpenLog {
  readonly log: ConversationLog
  readonly recordLog: RecordLog
  /** Of the last event that was appended. */
  lastOrder(): number
  /** Writes what waits, without a sync. */
  drain(): Promise<unknown>
  /** The writer of an agent that emitted events since the log was opened. */
  writer(agentId: string): AgentLogWriter | undefined
}

interface LogOptions {
  readonly lock: ConversationLock
  readonly recordLog: RecordLog
  readonly next: ConversationLog['next']
  /** The positions at which the existing transcripts continue. */
  readonly starts: ReadonlyMap<string, WriterStart<AgentState>>
  readonly states: ConversationLog['states']
  readonly repaired: NonNullable<ConversationLog['repaired']>
  readonly paths: DataPaths
  readonly clock: Clock
  readonly open: OpenFile | undefined
  readonly onProblem: (problem: StoreProblem) => void
  /** Takes the lock again after its file was deleted. */
  readonly lockAgain: () => Promise<Result<ConversationLock>>
  readonly onClose: () => void
}

/** Maximum delay in ms before appended events are written, without a sync. */
const WRITE_AFTER = 100

export function createConversationLog(options: LogOptions): OpenLog {
  const { paths, clock, onProblem, recordLog } = options
  const writers = new Map<string, AgentLogWriter>()
  const closing = new AbortController()
  let { lock } = options
  let lastOrder = options.next.order - 1
  let writeIsDue = false
  // The folder of the conversations exists while a log is open.
  const dataFolder = dirname(realpathSync.native(paths.conversations))
  /** After an error the lock is checked before the next write. */
  let hasFailed = false

  const record = () => {
    if (!recordLog.state) throw new Error('a conversation log begins with its record')
    return recordLog.state.record
  }

  function writerOf(agentId: string): AgentLogWriter {
    const here = writers.get(agentId)
    if (here) return here
    const writer: AgentLogWriter = new LogWriter({
      ...paths.agentLog(agentId),
      kind: agentLogKind,
      open: options.open,
      start: options.starts.get(agentId),
    })
    writers.set(agentId, writer)
    return writer
  }

  function append(event: LoggedEvent): void {
    const refused = closing.signal.aborted ? fail(closed) : safeIds(...idsIn(event))
    if (!refused.ok) {
      onProblem(refused.failure)
      return
    }
    if (isConversationEvent(event)) recordLog.append(event)
    else writerOf(event.agentId).append(event)
    lastOrder = event.order
    if (writeIsDue) return
    writeIsDue = true
    void clock.sleep(WRITE_AFTER, closing.signal).then(() => {
      writeIsDue = false
      recordLog.writeSoon()
      for (const writer of writers.values()) writer.writeSoon()
    })
  }

  async function guarded(write: () => Promise<Result<void>>): Promise<Result<void>> {
    if (closing.signal.aborted) return fail(closed)
    if (hasFailed) {
      const held = await holdLock()
      if (!held.ok) return held
    }
    const result = await write()
    hasFailed = !result.ok
    return result
  }

  async function holdLock(): Promise<Result<void>> {
    if (await lock.isOurs().catch(() => false)) return ok(undefined)
    const again = await options.lockAgain()
    if (!again.ok) return again
    lock = again.value
    return recordLog.restore()
  }

  async function flush(agentId: string): Promise<Result<void>> {
    const safe = safeIds(agentId)
    const writer = writers.get(agentId)
    if (closing.signal.aborted) return fail(closed)
    return safe.ok && writer ? guarded(() => writer.flush()) : safe
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
    const closed = await Promise.all([recordLog, ...writers.values()].map((writer) => writer.close()))
    for (const result of closed) if (!result.ok) onProblem(result.failure)
    await lock.release()
    options.onClose()
  }

  return {
    log: {
      get record() {
        return record()
      },
      next: options.next,
      states: options.states,
      repaired: options.repaired,
      save: () => guarded(() => recordLog.flush()),
      append,
      flush,
      keepOutput,
      outputFolder: (agentId) => join(dataFolder, 'tasks', agentId, 'tool-results'),
      transcriptPath: (agentId) => paths.agentLog(agentId).log,
      close,
    },
    recordLog,
    lastOrder: () => lastOrder,
    drain: () => Promise.all([recordLog, ...writers.values()].map((writer) => writer.drain())),
    writer: (agentId) => writers.get(agentId),
  }
}

/** Ids that become paths. */
function idsIn(event: LoggedEvent): readonly string[] {
  if (!isConversationEvent(event)) return [event.agentId]
  return event.type === 'agent-added' ? [event.agentId] : []
}

const closed: Failure = {
  type: 'closed',
  message: 'This conversation was closed, so nothing more is saved in it. Open it again.',
}
