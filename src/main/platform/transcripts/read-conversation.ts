/**
 * Reads a conversation as one stream of events, and its state at any order. Events that were appended here are
 * written first, so that they are read too; events that the disk refuses are added from memory. A conversation
 * that another process writes to may lack events which that process has not written yet.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import {
  type ConversationState,
  emptyConversation,
  foldConversation,
} from '../../../shared/state/conversation-state.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import {
  type Checkpoint,
  checkpointOrders,
  readCheckpoint,
  removeCheckpoint,
  writeCheckpoint,
} from './conversation-checkpoints.ts'
import {
  bytesOf,
  type ConversationSource,
  closeAll,
  cursorsOf,
  type LogsOptions,
  type OpenLogs,
  openLogsAt,
  openLogsFrom,
} from './conversation-cursors.ts'
import { safeIds } from './data-paths.ts'
import type { EventCursor } from './log-cursor.ts'

interface ConversationReaderOptions extends LogsOptions {
  /** Writes the appended events of a conversation's own log. */
  readonly source: (conversationId: string) => Promise<Result<ConversationSource>>
  readonly lockedByOther: (conversationId: string) => Promise<boolean>
  /** Bytes of lines from one checkpoint to the next. */
  readonly checkpointBytes: number
}

const BATCH_BYTES = 256 * 1024

export function createConversationReader(
  options: ConversationReaderOptions,
): Pick<TranscriptStore, 'readConversation' | 'stateAt'> {
  const source = async (conversationId: string): Promise<Result<ConversationSource>> => {
    const safe = safeIds(conversationId)
    return safe.ok ? options.source(conversationId) : safe
  }

  async function* readConversation(
    conversationId: string,
    { from = 0, to = Infinity }: { readonly from?: number; readonly to?: number } = {},
  ): AsyncGenerator<Result<readonly LoggedEvent[]>> {
    const read = await source(conversationId)
    if (!read.ok) return yield read
    const logs = await openLogsFrom(read.value, from, options)
    if (!logs.ok) return yield logs
    const cursors = cursorsOf(logs.value)
    try {
      yield* mergeByOrder(cursors, { to: Math.min(to, read.value.lastOrder), batchBytes: BATCH_BYTES })
    } finally {
      await closeAll(cursors)
    }
  }

  return {
    readConversation,
    stateAt: async (conversationId, order) => {
      const read = await source(conversationId)
      return read.ok ? stateAt(read.value, order, options) : read
    },
  }
}

/** From the nearest checkpoint that fits. Writes checkpoints on the way, unless another process may be writing. */
async function stateAt(
  source: ConversationSource,
  order: number,
  options: ConversationReaderOptions,
): Promise<Result<ConversationState>> {
  const { paths, checkpointBytes } = options
  const folder = paths.checkpoints(source.record.id)
  const maySave = !(await options.lockedByOther(source.record.id))
  const started = await startAt(source, { order, folder, maySave }, options)
  if (!started.ok) return started
  let { state } = started.value
  const { logs } = started.value
  const cursors = cursorsOf(logs)
  let savedBytes = bytesOf(cursors)
  const range = { to: Math.min(order, source.lastOrder), batchBytes: Math.min(BATCH_BYTES, checkpointBytes) }
  try {
    if (state.lastOrder >= range.to) return ok(state)
    for await (const batch of mergeByOrder(cursors, range)) {
      // Only the last batch fails. The state is the same without the events of a newer version.
      if (!batch.ok) return batch.failure.type === 'newer-version' ? ok(state) : batch
      state = foldConversation(state, batch.value)
      if (!maySave || bytesOf(cursors) - savedBytes < checkpointBytes || !isComplete(state, logs)) continue
      savedBytes = bytesOf(cursors)
      // A missing checkpoint only makes seeking slower.
      await writeCheckpoint(folder, checkpointOf(state, logs)).catch(() => undefined)
    }
    return ok(state)
  } finally {
    await closeAll(cursors)
  }
}

interface Start {
  readonly state: ConversationState
  readonly logs: OpenLogs
}

async function startAt(
  source: ConversationSource,
  seek: { readonly order: number; readonly folder: string; readonly maySave: boolean },
  options: ConversationReaderOptions,
): Promise<Result<Start>> {
  const { folder, maySave } = seek
  for (const order of await checkpointOrders(folder, Math.min(seek.order, source.lastOrder))) {
    const checkpoint = await readCheckpoint(folder, order)
    const logs = checkpoint ? await openLogsAt(checkpoint, source, options) : ok(null)
    if (!logs.ok) return logs
    if (logs.value && checkpoint) return ok({ state: checkpoint.state, logs: logs.value })
    if (maySave) await removeCheckpoint(folder, order).catch(() => undefined)
  }
  const logs = await openLogsFrom(source, 0, options)
  return logs.ok ? ok({ state: emptyConversation, logs: logs.value }) : logs
}

/** Whether a checkpoint of the state would have everything that the logs have up to here. */
function isComplete(state: ConversationState, logs: OpenLogs): boolean {
  if (state.record === null || logs.own.position.bytes === 0) return false
  if (cursorsOf(logs).some((cursor) => cursor.hasUnwritten || cursor.notUnderstood)) return false
  return [...logs.agents].every(([id, { position }]) => position.bytes === 0 || state.agents.has(id))
}

function checkpointOf(state: ConversationState, { own, agents }: OpenLogs): Checkpoint {
  const agentLogs = [...agents].flatMap(([id, { position }]) =>
    position.bytes > 0 ? [[id, position] as const] : [],
  )
  return { state, ownLog: own.position, agentLogs: new Map(agentLogs) }
}

/** Merges the logs of a conversation into one stream. */
interface MergeOptions {
  /** The last order to read. */
  readonly to: number
  /** Bytes of lines after which a batch ends. */
  readonly batchBytes: number
}

/**
 * The events of all cursors by order, in batches. While a batch is with the caller, the positions of the cursors
 * are behind its last event, and every event to come has a higher order. Ends with a failure at a point that one
 * log can't be read past, or where events of a newer version were left out. The caller closes the cursors.
 */
async function* mergeByOrder(
  cursors: readonly EventCursor[],
  { to, batchBytes }: MergeOptions,
): AsyncGenerator<Result<readonly LoggedEvent[]>> {
  // Equals keep their places: the first event of the conversation's own log may share order 0 with an agent's.
  const live = cursors
    .filter(({ order }) => order !== null)
    .sort((one, other) => (one.order ?? 0) - (other.order ?? 0))
  let failure = cursors.find((cursor) => cursor.failure)?.failure ?? null
  let events: LoggedEvent[] = []
  let lastOrder = -1
  let bytes = 0
  while (!failure) {
    const next = live.shift()
    const order = next?.order ?? null
    if (!next || order === null || order > to) break
    if (bytes >= batchBytes && order > lastOrder) {
      yield ok(events)
      // Logs that are read already leave no other pause, and a long conversation has many batches.
      await nextTurn()
      events = []
      bytes = 0
    }
    const before = next.position.bytes
    const event = next.take()
    if (event) events.push(event)
    bytes += next.position.bytes - before
    lastOrder = order
    if (next.order === null) await next.fill()
    // Every event after the damage has a higher order than the last one before it.
    if (order < to) failure = next.failure
    if (next.order !== null) live.splice(placeOf(next.order, live), 0, next)
  }
  if (events.length > 0) yield ok(events)
  failure ??= cursors.find((cursor) => cursor.notUnderstood)?.notUnderstood ?? null
  if (failure) yield fail(failure)
}

/** Where a cursor with this order belongs in a sorted list. A conversation may have hundreds of logs. */
function placeOf(order: number, sorted: readonly EventCursor[]): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.order ?? 0) < order) low = middle + 1
    else high = middle
  }
  return low
}
