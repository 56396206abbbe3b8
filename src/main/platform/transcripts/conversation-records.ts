/**
 * The record of a conversation: the fold of its own log, `conversations/<id>.jsonl`. The snapshot beside the log,
 * `<id>.json`, makes listing fast. Version 0.1.0 wrote the record itself to `<id>.json` and had no log: such a
 * record becomes the first events of a log as soon as the conversation is opened for writing.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { type ConversationRecord, conversationRecord } from '../../../shared/events/conversation.ts'
import { type ConversationEvent, eventsOfRecord } from '../../../shared/events/conversation-event.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ConversationLog } from '../../runtime/ports/transcripts.ts'
import { replaceFile } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { inParallel } from '../system/in-parallel.ts'
import { type DataPaths, isSafeId } from './data-paths.ts'
import { damageFailure } from './log-failures.ts'
import type { OpenFile } from './log-file.ts'
import { conversationLogKind as kind, type RecordState } from './log-kind.ts'
import { encodeLine, parse } from './log-line.ts'
import { LogWriter } from './log-writer.ts'
import { type LogPaths, readState } from './read-log.ts'
import { readyLog } from './ready-log.ts'
import { parseSnapshot, writeSnapshot } from './state-snapshot.ts'

/** A problem for the user to know; the work continued. */
export interface StoreProblem {
  readonly type: string
  readonly message: string
}

type OnProblem = (problem: StoreProblem) => void

const READ_AT_ONCE = 32

/** All readable records, the last used first. */
export async function listRecords(
  paths: DataPaths,
  onProblem: OnProblem,
): Promise<readonly ConversationRecord[]> {
  const ids = await recordIds(paths).catch((error: unknown) => {
    onProblem(diskFailure(error, 'The conversations can’t be listed', paths.conversations))
    return []
  })
  const records = await inParallel(ids, READ_AT_ONCE, (id) =>
    readRecord(paths.conversationLog(id), id, onProblem),
  )
  return records
    .flatMap((record) => {
      if (record.ok) return [record.value]
      // A conversation may be moved to the trash meanwhile.
      if (record.failure.type !== 'not-found') onProblem(record.failure)
      return []
    })
    .sort((a, b) => b.updatedAt - a.updatedAt)
}

async function recordIds(paths: DataPaths): Promise<readonly string[]> {
  try {
    const names = await readdir(paths.conversations)
    const ids = names.flatMap((name) => /^(.+)\.jsonl?$/.exec(name)?.[1] ?? [])
    return [...new Set(ids)].filter(isSafeId)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** The record of the log at `paths`, or the one that version 0.1.0 wrote. Changes nothing on disk. */
export async function readRecord(
  paths: LogPaths,
  id: string,
  onProblem: OnProblem,
): Promise<Result<ConversationRecord>> {
  try {
    const [content, bytes] = await Promise.all([contentOf(paths.snapshot), sizeOf(paths.log)])
    const snapshot = content && parseSnapshot(content, kind)
    if (bytes === null) {
      if (content === null) return fail(noSuchConversation)
      // A snapshot whose log was deleted still has the whole record.
      return sound(snapshot?.state.record ?? conversationRecord.safeParse(parse(content)).data, id, paths)
    }
    if (snapshot?.bytes === bytes) return sound(snapshot.state.record, id, paths)
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be read', paths.snapshot))
  }
  const read = await readState(paths, kind)
  if (!read.ok) return read
  const { state, damagedLine } = read.value
  if (state && damagedLine !== null) onProblem(damageFailure(paths.log, damagedLine))
  return sound(state?.record, id, paths)
}

interface RecordLogOptions {
  /** Used where the conversation has no log: it becomes the first events of a new one. */
  readonly record: ConversationRecord
  /** The first order that no event of an agent has. */
  readonly nextOrder: number
  readonly open: OpenFile | undefined
  readonly onProblem: OnProblem
}

export type RecordLog = LogWriter<ConversationEvent, RecordState>

/** Opens the log of a locked conversation for writing. The log is created where the conversation has none. */
export async function openRecordLog(
  paths: LogPaths,
  { record, nextOrder, open, onProblem }: RecordLogOptions,
): Promise<Result<{ readonly writer: RecordLog; readonly next: ConversationLog['next'] }>> {
  try {
    // One atomic file: after a crash the log has all of these events or does not exist.
    if ((await sizeOf(paths.log)) === null)
      await replaceFile(paths.log, eventsOfRecord(record, nextOrder).map(encodeLine).join(''), {
        durable: true,
      })
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be saved', paths.log))
  }
  const ready = await readyLog(paths, kind)
  if (!ready.ok) return ready
  const state = ready.value?.start.state
  if (!ready.value || !state) return fail(damageFailure(paths.log, 1))
  const { start, repaired } = ready.value
  const done = await ready.value.repair()
  if (!done.ok) return done
  if (repaired) onProblem({ type: 'torn', message: repaired })
  const writer = new LogWriter({ ...paths, kind, open, start })
  const opened = await writer.restore()
  if (!opened.ok) return opened
  await writeSnapshot(paths.snapshot, { ...start, state }, kind).catch(() => undefined)
  return ok({ writer, next: { seq: start.events, order: Math.max(nextOrder, state.lastOrder + 1) } })
}

async function contentOf(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  })
}

async function sizeOf(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null
      throw error
    },
  )
}

/** Ids become paths, so every id is checked. */
function sound(
  record: ConversationRecord | undefined,
  id: string,
  paths: LogPaths,
): Result<ConversationRecord> {
  if (record?.id === id && [record.mainAgentId, ...record.agentIds].every(isSafeId)) return ok(record)
  return fail({
    type: 'damaged',
    message: `The record of a conversation is damaged, or of a newer version of Troupe (${paths.snapshot}). Its transcripts are untouched.`,
  })
}

const noSuchConversation: Failure = {
  type: 'not-found',
  message: 'Conversation not found.',
}
