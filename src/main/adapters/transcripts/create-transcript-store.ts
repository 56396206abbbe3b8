/**
 * Conversations and transcripts on the disk, as the `TranscriptStore` port. Below the data folder:
 *
 *     conversations/<id>.json                      the record of a conversation
 *     tasks/<agentId>/transcript.jsonl             an event a line
 *     tasks/<agentId>/transcript.jsonl.torn        what crashes left of last lines
 *     tasks/<agentId>/state.json                   a snapshot that saves reading
 *     tasks/<agentId>/tool-results/<toolUseId>.txt
 *     locks/<id>/                                  who writes to a conversation
 *     trash/<id>/                                  a conversation that was thrown away
 *
 * Several processes share it. Who reads changes nothing; who writes holds the conversation's lock.
 */
import { readFile } from 'node:fs/promises'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { ConversationRecord } from '../../../shared/conversation.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { Clock, ConversationLog, TranscriptStore } from '../../runtime/ports.ts'
import { acquireLock, type ConversationLock, lockHolder } from './conversation-lock.ts'
import { createConversationLog, type OpenLog } from './conversation-log.ts'
import { listRecords, readRecord, type StoreProblem, writeRecord } from './conversation-records.ts'
import { dataPaths, safeIds } from './data-paths.ts'
import { codeOf, diskFailure } from './disk-failure.ts'
import { inParallel } from './in-parallel.ts'
import { makeReady } from './open-transcript.ts'
import { readPage } from './read-page.ts'
import { readEvents, readState } from './read-transcript.ts'
import { damageFailure } from './transcript-failures.ts'
import type { OpenFile } from './transcript-file.ts'
import type { WriterStart } from './transcript-writer.ts'
import { moveFromTrash, moveToTrash } from './trash.ts'

export type { StoreProblem } from './conversation-records.ts'

export interface TranscriptStoreOptions {
  /** Absolute. Made with the first conversation. */
  readonly dataFolder: string
  readonly clock: Clock
  /** Who holds the locks; this process by default. */
  readonly pid?: number
  /** Told of what was mended, left out or could not be saved while the work went on. */
  readonly onProblem?: (problem: StoreProblem) => void
  /** How transcripts are opened for writing; `open` of Node by default. */
  readonly openFile?: OpenFile
}

const FILES_AT_ONCE = 16

export function createTranscriptStore(options: TranscriptStoreOptions): TranscriptStore {
  const { dataFolder, clock, pid = process.pid, onProblem = () => {} } = options
  const paths = dataPaths(dataFolder)
  /** The conversations that are open for writing here. */
  const open = new Set<OpenLog>()

  /** What was appended here can then be read from the file; a full disk hides the last events. */
  async function drain(agentId: string): Promise<void> {
    for (const { writer } of open) await writer(agentId)?.drain()
  }

  async function stateOf(agentId: string): Promise<Result<AgentState | null>> {
    await drain(agentId)
    const read = await readState({
      transcript: paths.transcript(agentId),
      snapshot: paths.snapshot(agentId),
    })
    if (!read.ok) return read
    const { state, damagedLine } = read.value
    if (damagedLine !== null) onProblem(damageFailure(paths.transcript(agentId), damagedLine))
    return ok(state)
  }

  async function states(agentIds: readonly string[]): Promise<Result<readonly AgentState[]>> {
    const safe = safeIds(...agentIds)
    if (!safe.ok) return safe
    const read = await inParallel(agentIds, FILES_AT_ONCE, stateOf)
    const failed = read.find((result) => !result.ok)
    if (failed) return failed
    return ok(read.flatMap((result) => (result.ok && result.value ? [result.value] : [])))
  }

  async function underLock(
    conversationId: string,
    work: (lock: ConversationLock) => Promise<Result<void>>,
  ): Promise<Result<void>> {
    const safe = safeIds(conversationId)
    if (!safe.ok) return safe
    const lock = await acquireLock(paths, conversationId, pid)
    if (!lock.ok) return lock
    try {
      return await work(lock.value)
    } finally {
      await lock.value.release()
    }
  }

  async function openLog(given: ConversationRecord): Promise<Result<ConversationLog>> {
    const safe = safeIds(given.id, given.mainAgentId, ...given.agentIds)
    if (!safe.ok) return safe
    const lock = await acquireLock(paths, given.id, pid)
    if (!lock.ok) return lock
    const opened = await openUnderLock(given, lock.value)
    if (!opened.ok) await lock.value.release()
    return opened
  }

  async function openUnderLock(
    given: ConversationRecord,
    lock: ConversationLock,
  ): Promise<Result<ConversationLog>> {
    // Somebody may have written it since the caller read it.
    const read = await readRecord(paths.record(given.id), given.id)
    if (!read.ok && read.failure.type !== 'not-found') return read
    const record = read.ok ? read.value : given
    if (!read.ok) {
      const written = await writeRecord(paths.record(given.id), given)
      if (!written.ok) return written
    }
    const ready = await readyAgents(record.agentIds)
    if (!ready.ok) return ready
    const here = createConversationLog({
      ...ready.value,
      record,
      lock,
      paths,
      clock,
      open: options.openFile,
      onProblem,
      lockAgain: () => acquireLock(paths, record.id, pid),
      onClose: () => open.delete(here),
    })
    open.add(here)
    return ok(here.log)
  }

  /** Checks and mends the transcripts of a conversation that is locked. */
  async function readyAgents(
    agentIds: readonly string[],
  ): Promise<Result<{ starts: Map<string, WriterStart>; repaired: { agentId: string; message: string }[] }>> {
    const starts = new Map<string, WriterStart>()
    const repaired: { agentId: string; message: string }[] = []
    const failures = await inParallel(agentIds, FILES_AT_ONCE, async (agentId): Promise<Failure | null> => {
      const ready = await makeReady(paths.transcript(agentId))
      if (!ready.ok) return ready.failure
      if (!ready.value) return null
      const { tornBytes, ...place } = ready.value
      const state = await stateOf(agentId)
      if (!state.ok) return state.failure
      starts.set(agentId, { ...place, state: state.value })
      if (tornBytes > 0) repaired.push({ agentId, message: tornWords(tornBytes, paths.transcript(agentId)) })
      return null
    })
    for (const { message } of repaired) onProblem({ type: 'torn', message })
    const failure = failures.find((each) => each !== null)
    return failure ? fail(failure) : ok({ starts, repaired })
  }

  return {
    list: () => listRecords(paths, onProblem),
    read: async (conversationId) => {
      const safe = safeIds(conversationId)
      return safe.ok ? readRecord(paths.record(conversationId), conversationId) : safe
    },
    states,
    lockedByOther: async (conversationId) => {
      if (!safeIds(conversationId).ok) return false
      const holder = await lockHolder(paths.lock(conversationId)).catch(() => null)
      return holder !== null && holder.pid !== pid
    },
    events: async function* (agentId) {
      const safe = safeIds(agentId)
      if (!safe.ok) return yield safe
      await drain(agentId)
      yield* readEvents(paths.transcript(agentId))
    },
    page: async (agentId, wanted) => {
      const safe = safeIds(agentId)
      if (!safe.ok) return safe
      await drain(agentId)
      return readPage(paths.transcript(agentId), wanted)
    },
    open: openLog,
    trash: (conversationId) => underLock(conversationId, () => moveToTrash(paths, conversationId)),
    restore: (conversationId) => underLock(conversationId, () => moveFromTrash(paths, conversationId)),
    rename: (conversationId, title) =>
      underLock(conversationId, async () => {
        const record = await readRecord(paths.record(conversationId), conversationId)
        if (!record.ok) return record
        return writeRecord(paths.record(conversationId), { ...record.value, title, named: true })
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

function tornWords(bytes: number, transcript: string): string {
  return `A crash cut off the end of a transcript in the middle of a line. The ${bytes} bytes of it were put aside (${transcript}.torn); everything before is there.`
}
