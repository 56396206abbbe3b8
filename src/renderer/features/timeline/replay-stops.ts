/** The moments at which a replay stops: requests to the user, failures, and messages. */
import { type Lane, spansOf } from '../../../shared/timeline/lane.ts'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { isFailed } from '../../../shared/timeline/timeline-sums.ts'

export const stopKinds = ['all', 'requests', 'failures', 'messages'] as const
export type StopKind = (typeof stopKinds)[number]

/** The next stop after a moment, or the last one before it; null: there is none. Ms since the epoch. */
export function stopFrom(
  timeline: Timeline,
  at: number,
  { kind, back }: { readonly kind: StopKind; readonly back: boolean },
): number | null {
  let best: number | null = null
  const offer = (stop: number) => {
    if (back ? stop < at && (best === null || stop > best) : stop > at && (best === null || stop < best))
      best = stop
  }
  const wants = (one: StopKind) => kind === 'all' || kind === one
  for (const lane of Object.values(timeline.lanes)) offerLane(lane, wants, offer)
  if (wants('messages')) for (const arrow of timeline.arrows) if (arrow.kind === 'message') offer(arrow.toAt)
  return best
}

function offerLane(lane: Lane, wants: (kind: StopKind) => boolean, offer: (at: number) => void): void {
  for (const span of spansOf(lane)) {
    if (span.kind === 'user' && wants('requests')) offer(span.from)
    // The moment at which the failure is known.
    if (isFailed(span) && wants('failures')) offer(span.kind === 'retry' ? span.from : (span.to ?? span.from))
  }
  if (wants('failures')) for (const end of lane.ends) if (end.status === 'failed') offer(end.at)
}
