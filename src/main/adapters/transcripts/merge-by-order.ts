/** Merges the logs of a conversation into one stream. */
import type { LoggedEvent } from '../../../shared/conversation-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { EventCursor } from './log-cursor.ts'

export interface MergeOptions {
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
export async function* mergeByOrder(
  cursors: readonly EventCursor[],
  { to, batchBytes }: MergeOptions,
): AsyncGenerator<Result<readonly LoggedEvent[]>> {
  let live = cursors
  let failure = cursors.find((cursor) => cursor.failure)?.failure ?? null
  let events: LoggedEvent[] = []
  let lastOrder = -1
  let bytes = 0
  while (!failure) {
    const next = lowest(live)
    const order = next?.order ?? null
    if (!next || order === null || order > to) break
    if (bytes >= batchBytes && order > lastOrder) {
      yield ok(events)
      events = []
      bytes = 0
    }
    const before = next.position.bytes
    const event = next.take()
    if (event) events.push(event)
    bytes += next.position.bytes - before
    lastOrder = order
    await next.fill()
    // Every event after the damage has a higher order than the last one before it.
    if (order < to) failure = next.failure
    if (next.order === null) live = live.filter((cursor) => cursor !== next)
  }
  if (events.length > 0) yield ok(events)
  failure ??= cursors.find((cursor) => cursor.notUnderstood)?.notUnderstood ?? null
  if (failure) yield fail(failure)
}

/** The first one of equals: the conversation's own log, whose first event may share order 0 with an agent's. */
function lowest(cursors: readonly EventCursor[]): EventCursor | null {
  let found: EventCursor | null = null
  for (const cursor of cursors)
    if (cursor.order !== null && (found?.order == null || cursor.order < found.order)) found = cursor
  return found
}
