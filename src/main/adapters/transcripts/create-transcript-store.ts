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
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/agent-state.ts'
import type { ConversationRecord } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { Clock, ConversationLog, TranscriptStore } from '../../runtime/ports.ts'
import { acquireLock, type ConversationLock, lockHolder } from './conversation-lock.ts'
import { createConversationLog, type OpenLog } from './conversation-log.ts'
import { listRecords, readRecord, type StoreProblem, writeRecord } from './conversation-records.ts'
import { dataPaths, safeIds } from './data-paths.ts'
import { codeOf, diskFailure } from './disk-failure.ts'
import { inParallel } from './in-parallel.ts'
import { type Page, readPage } from './read-page.ts'
import { readEvents, readState } from './read-transcript.ts'
import { readyAgents } from './ready-agents.ts'
import { damageFailure } from './transcript-failures.ts'
import type { OpenFile } from './transcript-file.ts'
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

  /** Writes what was appended here, so that it can be read. What the disk refuses is returned. */
  async function drain(agentId: string): Promise<readonly AgentEvent[]> {
    for (const log of open) {
      const writer = log.writer(agentId)
      if (writer && !(await writer.drain()).ok) return writer.unwrittenEvents()
    }
    return []
  }

  async function stateOf(agentId: string): Promise<Result<AgentState | null>> {
    const refused = await drain(agentId)
    const read = await readState({
      transcript: paths.transcript(agentId),
      snapshot: paths.snapshot(agentId),
    })
    if (!read.ok) return read
    const { state, damagedLine } = read.value
    if (damagedLine !== null) onProblem(damageFailure(paths.transcript(agentId), damagedLine))
    return ok(refused.reduce(foldAgent, state))
  }

  async function* events(agentId: string): AsyncGenerator<Result<readonly AgentEvent[]>> {
    const safe = safeIds(agentId)
    if (!safe.ok) return yield safe
    const refused = await drain(agentId)
    let next = 0
    for await (const batch of readEvents(paths.transcript(agentId))) {
      if (batch.ok) next = (batch.value.at(-1)?.seq ?? 0) + 1
      yield batch
      if (!batch.ok) return
    }
    const rest = refused.filter((event) => event.seq >= next)
    if (rest.length > 0) yield ok(rest)
  }

  async function page(
    agentId: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<Result<Page>> {
    const safe = safeIds(agentId)
    if (!safe.ok) return safe
    const refused = await drain(agentId)
    const read = await readPage(paths.transcript(agentId), { before, limit })
    if (!read.ok || refused.length === 0) return read
    const { total } = read.value
    const rest = refused.filter((event) => event.seq >= total && event.seq < (before ?? Infinity))
    return ok({
      events: [...read.value.events, ...rest].slice(-Math.max(1, limit)),
      total: Math.max(total, (refused.at(-1)?.seq ?? 0) + 1),
    })
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
    const ready = await readyAgents(paths, record.agentIds)
    if (!ready.ok) return ready
    for (const { message } of ready.value.repaired) onProblem({ type: 'torn', message })
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
    events,
    page,
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
