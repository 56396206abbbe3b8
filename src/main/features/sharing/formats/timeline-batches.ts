/** The spans and arrows of a conversation's timeline as its events are read: none stays in memory once it has ended. */
import type { LoggedEvent } from '../../../../shared/events/conversation-event.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { type Lane, spansOf } from '../../../../shared/timeline/lane.ts'
import type { Arrow, Span } from '../../../../shared/timeline/span.ts'
import { addToTimeline, type Timeline } from '../../../../shared/timeline/timeline.ts'

interface TimelineBatch {
  /** Agents whose first event was read. */
  readonly begun: readonly Lane[]
  /** Spans that have ended; with the last batch also those that have not. */
  readonly spans: readonly Span[]
  readonly arrows: readonly Arrow[]
}

/** @param timeline an empty one, which has its lanes and phases after the last batch */
export async function* timelineBatches(
  events: AsyncIterable<Result<readonly LoggedEvent[]>>,
  timeline: Timeline,
): AsyncGenerator<Result<TimelineBatch>> {
  let known = 0
  for await (const batch of events) {
    if (!batch.ok) return yield batch
    for (const event of batch.value) addToTimeline(timeline, event)
    const lanes = Object.values(timeline.lanes)
    const begun = lanes.slice(known)
    known = lanes.length
    yield ok({
      begun,
      spans: lanes.flatMap(({ spans }) => spans.splice(0)),
      arrows: timeline.arrows.splice(0),
    })
  }
  yield ok({ begun: [], spans: Object.values(timeline.lanes).flatMap(spansOf), arrows: [] })
}

/** When an open span is taken to end: with the last event. */
export const endOf = ({ from, to }: Span, { to: last }: Timeline): number => to ?? Math.max(from, last)
