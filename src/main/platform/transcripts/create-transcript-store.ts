/**
 * Conversations and transcripts on disk, as the `TranscriptStore` port. Below the data folder:
 *
 *     conversations/<id>.jsonl                     the conversation's own log, an event per line
 *     conversations/<id>.json                      a snapshot of its record, for listing
 *     tasks/<agentId>/transcript.jsonl             the log of an agent
 *     tasks/<agentId>/transcript.jsonl.torn        broken last lines that crashes left
 *     tasks/<agentId>/state.json                   a snapshot of the agent's state
 *     tasks/<agentId>/tool-results/<toolUseId>.txt
 *     checkpoints/<id>/<order>.json                the conversation's state at an order, for seeking
 *     locks/<id>/                                  the process that writes to a conversation
 *     trash/<id>/                                  a conversation in the trash
 *
 * Several processes share the folder. Readers change no log; a writer holds the conversation's lock.
 */
import { readFile } from 'node:fs/promises'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { CONVERSATION_EVENT_VERSION } from '../../../shared/events/conversation-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Clock } from '../../runtime/ports/ports.ts'
import type { RecordChange, TranscriptFollower, TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { inParallel } from '../system/in-parallel.ts'
import type { ConversationSource } from './conversation-cursors.ts'
import { acquireLock, type ConversationLock, lockHolder } from './conversation-lock.ts'
import { createConversationLog, type OpenLog } from './conversation-log.ts'
import { listRecords, openRecordLog, readRecord, type StoreProblem } from './conversation-records.ts'
import { type DataPaths, dataPaths, safeIds } from './data-paths.ts'
import type { OpenFile } from './log-file.ts'
import { agentLogKind, type FoldedLog } from './log-kind.ts'
import { createAgentReader } from './read-agents.ts'
import { createConversationReader } from './read-conversation.ts'
import { readState } from './read-log.ts'
import { readyAgents } from './ready-log.ts'
import { moveFromTrash, moveToTrash } from './trash.ts'

export interface TranscriptStoreOptions {
  /** Absolute. Created with the first conversation. */
  readonly dataFolder: string
  readonly clock: Clock
  /** The process that holds the locks; this process by default. */
  readonly pid?: number
  /** Called with each repair, omission or failed save that did not stop the work. */
  readonly onProblem?: (problem: StoreProblem) => void
  /** Opens logs for writing; `open` of Node by default. */
  readonly openFile?: OpenFile
  /** Bytes of lines from one checkpoint to the next; 2 MiB by default. */
  readonly checkpointBytes?: number
}

const FILES_AT_ONCE = 16
/** Reading and folding this much takes about 0.1 s. */
const CHECKPOINT_BYTES = 2 * 1024 * 1024

export function createTranscriptStore(options: TranscriptStoreOptions): TranscriptStore {
  const { dataFolder, clock, pid = process.pid, onProblem = () => {} } = options
  const disk: StoreDisk = { paths: dataPaths(dataFolder), clock, pid, onProblem, open: options.openFile }
  const { paths } = disk
  /** The conversations that are open for writing here. */
  const open = new Set<OpenLog>()

  async function drain(agentId: string): Promise<readonly AgentEvent[]> {
    for (const log of open) {
      const writer = log.writer(agentId)
      if (writer && !(await writer.drain()).ok) return writer.unwrittenEvents()
    }
    return []
  }

  const read = (conversationId: string): Promise<Result<ConversationRecord>> =>
    readRecord(paths.conversationLog(conversationId), conversationId, onProblem)

  /** The state in memory of an open conversation, or the state on disk of another one. */
  async function source(conversationId: string): Promise<Result<ConversationSource>> {
    const here = [...open].find(({ log }) => log.record.id === conversationId)
    if (!here) {
      const record = await read(conversationId)
      return record.ok ? ok({ record: record.value, lastOrder: Infinity, unwritten: [] }) : record
    }
    const lastOrder = here.lastOrder()
    const { recordLog, log } = here
    const unwritten = (await recordLog.drain()).ok ? [] : recordLog.unwrittenEvents()
    return ok({ record: log.record, lastOrder, unwritten })
  }

  const lockedByOther = async (conversationId: string): Promise<boolean> => {
    if (!safeIds(conversationId).ok) return false
    const holder = await lockHolder(paths.lock(conversationId)).catch(() => null)
    return holder !== null && holder.pid !== pid
  }

  const { checkpointBytes = CHECKPOINT_BYTES } = options

  return {
    ...createAgentReader({ paths, drain, onProblem }),
    ...createConversationReader({ paths, source, drain, lockedByOther, checkpointBytes }),
    list: () => listRecords(paths, onProblem),
    read: async (conversationId) => {
      const safe = safeIds(conversationId)
      return safe.ok ? read(conversationId) : safe
    },
    drain: async () => void (await Promise.all([...open].map((log) => log.drain()))),
    lockedByOther,
    open: async (given, follower) => {
      const safe = safeIds(given.id, given.mainAgentId, ...given.agentIds)
      if (!safe.ok) return safe
      const lock = await acquireLock(paths, given.id, pid)
      if (!lock.ok) return lock
      const opened = await openUnderLock(given, lock.value, {
        ...disk,
        follower,
        onClose: (closed) => open.delete(closed),
      })
      if (!opened.ok) {
        await lock.value.release()
        return opened
      }
      open.add(opened.value)
      return ok(opened.value.log)
    },
    trash: (conversationId) =>
      underLock(conversationId, disk, () => moveToTrash(paths, conversationId, onProblem)),
    restore: (conversationId) =>
      underLock(conversationId, disk, () => moveFromTrash(paths, conversationId, onProblem)),
    amend: (conversationId, change) =>
      underLock(conversationId, disk, async () => {
        const record = await read(conversationId)
        return record.ok ? amend(record.value, change, disk) : record
      }),
    toolOutput: async (agentId, toolUseId) => {
      const safe = safeIds(agentId, toolUseId)
      if (!safe.ok) return safe
      const path = paths.toolOutput(agentId, toolUseId)
      try {
        return ok(await readFile(path, 'utf8'))
      } catch (error) {
        if (codeOf(error) === 'ENOENT')
          return fail({ type: 'not-found', message: 'The output of this tool was not kept.' })
        return fail(diskFailure(error, 'The output can’t be read', path))
      }
    },
  }
}

interface StoreDisk {
  readonly paths: DataPaths
  readonly clock: Clock
  readonly pid: number
  readonly onProblem: (problem: StoreProblem) => void
  readonly open: OpenFile | undefined
}

async function underLock(
  conversationId: string,
  { paths, pid }: StoreDisk,
  work: () => Promise<Result<void>>,
): Promise<Result<void>> {
  const safe = safeIds(conversationId)
  if (!safe.ok) return safe
  const lock = await acquireLock(paths, conversationId, pid)
  if (!lock.ok) return lock
  try {
    return await work()
  } finally {
    await lock.value.release()
  }
}

async function openUnderLock(
  given: ConversationRecord,
  lock: ConversationLock,
  options: StoreDisk & {
    readonly follower: TranscriptFollower | undefined
    readonly onClose: (closed: OpenLog) => void
  },
): Promise<Result<OpenLog>> {
  const { paths, pid, onProblem } = options
  // Another process may have written the record since the caller read it.
  const read = await readRecord(paths.conversationLog(given.id), given.id, onProblem)
  if (!read.ok && read.failure.type !== 'not-found') return read
  const record = read.ok ? read.value : given
  const ready = await readyAgents(paths, record.agentIds, options.follower)
  if (!ready.ok) return ready
  const opened = await openRecordLog(paths.conversationLog(given.id), {
    ...options,
    record,
    nextOrder: orderAfter([...ready.value.starts.values()].map(({ state }) => state)),
  })
  if (!opened.ok) return opened
  const repaired = await ready.value.repair()
  if (!repaired.ok) {
    await opened.value.writer.close()
    return repaired
  }
  for (const { message } of ready.value.repaired) onProblem({ type: 'torn', message })
  const { writer: recordLog, next } = opened.value
  const log: OpenLog = createConversationLog({
    ...options,
    ...ready.value,
    states: record.agentIds.flatMap((id) => ready.value.starts.get(id)?.state ?? []),
    recordLog,
    next,
    lock,
    lockAgain: () => acquireLock(paths, given.id, pid),
    onClose: () => options.onClose(log),
  })
  return ok(log)
}

/** Under the lock of a conversation that is not open. */
async function amend(
  record: ConversationRecord,
  change: RecordChange,
  disk: StoreDisk,
): Promise<Result<void>> {
  const { paths, clock } = disk
  const states = await inParallel(record.agentIds, FILES_AT_ONCE, async (agentId) => {
    const read = await readState(paths.agentLog(agentId), agentLogKind)
    return read.ok ? read.value.state : null
  })
  const opened = await openRecordLog(paths.conversationLog(record.id), {
    ...disk,
    record,
    nextOrder: orderAfter(states),
  })
  if (!opened.ok) return opened
  const { writer, next } = opened.value
  writer.append({
    v: CONVERSATION_EVENT_VERSION,
    conversationId: record.id,
    ...next,
    at: clock.now(),
    ...change,
  })
  return writer.close()
}

/** The first order that none of these logs has. */
function orderAfter(states: readonly (FoldedLog | null)[]): number {
  return 1 + states.reduce((last, state) => Math.max(last, state?.lastOrder ?? 0), 0)
}
