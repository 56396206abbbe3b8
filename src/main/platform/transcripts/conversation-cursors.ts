/** Opens a cursor for each log of a conversation: its own and those of its agents. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { type ConversationEvent, eventsOfRecord } from '../../../shared/events/conversation-event.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { exists } from '../system/exists.ts'
import { inParallel } from '../system/in-parallel.ts'
import type { Checkpoint } from './conversation-checkpoints.ts'
import type { DataPaths } from './data-paths.ts'
import { type EventCursor, logStart, openCursor } from './log-cursor.ts'
import { agentLogKind, conversationLogKind } from './log-kind.ts'
import { readState } from './read-log.ts'

/** A conversation at the moment when its reading began. */
export interface ConversationSource {
  readonly record: ConversationRecord
  /**
   * The last order that was appended here; later events are not read. Infinity if the conversation is not open here.
   */
  readonly lastOrder: number
  /** Events of the conversation's own log that the disk refuses. */
  readonly unwritten: readonly ConversationEvent[]
}

export interface LogsOptions {
  readonly paths: DataPaths
  /** Writes an agent's appended events. @returns the events that the disk refuses */
  readonly drain: (agentId: string) => Promise<readonly AgentEvent[]>
}

export interface OpenLogs {
  readonly own: EventCursor
  readonly agents: ReadonlyMap<string, EventCursor>
}

const FILES_AT_ONCE = 16

/** The cursors before the first event of this order or a higher one. */
export async function openLogsFrom(
  source: ConversationSource,
  order: number,
  options: LogsOptions,
): Promise<Result<OpenLogs>> {
  const logs = await openLogs(source, { order }, options)
  if (!logs.ok) return logs
  if (!logs.value) throw new Error('a log can be read from any order on')
  return ok(logs.value)
}

/**
 * The cursors at a checkpoint. Null if a log changed before the checkpoint, or has an event that the checkpoint lacks.
 */
export function openLogsAt(
  checkpoint: Checkpoint,
  source: ConversationSource,
  options: LogsOptions,
): Promise<Result<OpenLogs | null>> {
  return openLogs(source, checkpoint, options)
}

async function openLogs(
  source: ConversationSource,
  start: Checkpoint | { readonly order: number },
  { paths, drain }: LogsOptions,
): Promise<Result<OpenLogs | null>> {
  const { record } = source
  const isCheckpoint = 'state' in start
  const startOf = (agentId: string) => (isCheckpoint ? (start.agentLogs.get(agentId) ?? logStart) : start)
  const unwritten = await unwrittenIn(source, paths)
  const own = await openCursor({
    path: paths.conversationLog(record.id).log,
    kind: conversationLogKind,
    unwritten,
    start: isCheckpoint ? start.ownLog : start,
  })
  const agents = await inParallel(record.agentIds, FILES_AT_ONCE, async (agentId) => {
    const refused = await drain(agentId)
    const { log: path } = paths.agentLog(agentId)
    return openCursor({ path, kind: agentLogKind, unwritten: refused, start: startOf(agentId) })
  })
  const opened = [own, ...agents]
  const cursors = opened.flatMap((cursor) => (cursor.ok && cursor.value ? [cursor.value] : []))
  const [ownCursor, ...agentCursors] = cursors
  const isFit =
    cursors.length === opened.length &&
    (!isCheckpoint || cursors.every(({ order }) => order === null || order > start.state.lastOrder))
  if (ownCursor && isFit) {
    const byAgent = record.agentIds.flatMap((id, index) => {
      const cursor = agentCursors[index]
      return cursor ? [[id, cursor] as const] : []
    })
    return ok({ own: ownCursor, agents: new Map(byAgent) })
  }
  await closeAll(cursors)
  return opened.find((cursor) => !cursor.ok) ?? ok(null)
}

/** All events of the conversation's own log where version 0.1.0 wrote the record without a log. */
async function unwrittenIn(
  { record, unwritten }: ConversationSource,
  paths: DataPaths,
): Promise<readonly ConversationEvent[]> {
  if (unwritten.length > 0 || (await exists(paths.conversationLog(record.id).log))) return unwritten
  const lastOrders = await inParallel(record.agentIds, FILES_AT_ONCE, async (agentId) => {
    const read = await readState(paths.agentLog(agentId), agentLogKind)
    return read.ok ? (read.value.state?.lastOrder ?? 0) : 0
  })
  return eventsOfRecord(record, 1 + Math.max(0, ...lastOrders))
}

export function cursorsOf({ own, agents }: OpenLogs): readonly EventCursor[] {
  return [own, ...agents.values()]
}

export function bytesOf(cursors: readonly EventCursor[]): number {
  return cursors.reduce((sum, { position }) => sum + position.bytes, 0)
}

export async function closeAll(cursors: readonly EventCursor[]): Promise<void> {
  await Promise.all(cursors.map((cursor) => cursor.close()))
}
