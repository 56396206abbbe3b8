/**
 * The timeline of a conversation: a fold over the events of its log and of its agents that changes the timeline in place,
 * in constant time for each event. A timeline is plain data: it can be sent to another process, which continues the fold.
 * Agents of other machines and external agents have the same events, so nothing here is about them.
 */
import type { EventOf } from '../events/agent-event.ts'
import {
  type ConversationEvent,
  isConversationEvent,
  type LoggedEvent,
} from '../events/conversation-event.ts'
import { textOf, withoutFrame } from '../messages/text-of.ts'
import type { PhaseEntry } from '../teams/team-schema.ts'
import { addToLane, type Lane, laneFrom } from './lane.ts'
import type { Arrow, PhaseSpan } from './span.ts'

export interface Timeline {
  /** By agent, in the order in which they were spawned. */
  readonly lanes: Record<string, Lane>
  /** In the order of their arrival. */
  readonly arrows: Arrow[]
  readonly phases: PhaseSpan[]
  /** The messages of agents that nobody has received yet, by their ids. */
  readonly sent: Record<string, Pick<Arrow, 'at' | 'fromSeq' | 'text'>>
  /** Times of the first and the last event, ms since the epoch; 0 before the first. */
  from: number
  to: number
  /** The order of the last event; -1 before the first. */
  lastOrder: number
  /** The time of each event, ms since the epoch, never before an earlier one; and its order. */
  readonly times: number[]
  readonly orders: number[]
}

export function emptyTimeline(): Timeline {
  return { lanes: {}, arrows: [], phases: [], sent: {}, from: 0, to: 0, lastOrder: -1, times: [], orders: [] }
}

/** Adds one event. The events of a conversation come in their order; one that the timeline has already changes nothing. */
export function addToTimeline(timeline: Timeline, event: LoggedEvent): void {
  if (event.order > timeline.lastOrder) {
    if (isConversationEvent(event)) addConversationEvent(timeline, event)
    timeline.lastOrder = event.order
    timeline.orders.push(event.order)
    timeline.times.push(Math.max(event.at, timeline.times.at(-1) ?? 0))
  }
  if (isConversationEvent(event)) return
  const lane = timeline.lanes[event.agentId]
  if (event.type === 'agent-spawned') {
    if (lane !== undefined) return
    timeline.lanes[event.agentId] = laneFrom(event)
    if (event.parentId !== null) timeline.arrows.push(startOf(timeline, event, event.parentId))
  } else {
    // Only a started agent has a lane.
    if (lane === undefined || event.seq <= lane.lastSeq) return
    addToLane(lane, event)
    if (event.type === 'user-message') received(timeline, lane, event)
    if (event.type === 'agent-ended' && event.status !== 'interrupted' && lane.parentId !== null)
      timeline.arrows.push({
        ...{ kind: 'report', from: lane.agentId, to: lane.parentId, at: lane.lastAt, toAt: lane.lastAt },
        ...{ fromSeq: event.seq, toSeq: null, text: '' },
      })
  }
  const at = timeline.lanes[event.agentId]?.lastAt ?? event.at
  if (timeline.from === 0 || at < timeline.from) timeline.from = at
  timeline.to = Math.max(timeline.to, at)
}

function startOf(
  timeline: Timeline,
  { agentId, at, seq }: EventOf<'agent-spawned'>,
  parentId: string,
): Arrow {
  const fromSeq = timeline.lanes[parentId]?.lastSeq ?? null
  return { kind: 'start', from: parentId, to: agentId, at, toAt: at, fromSeq, toSeq: seq, text: '' }
}

const TEXT_LENGTH = 120

function addConversationEvent(timeline: Timeline, event: ConversationEvent): void {
  if (event.type === 'message-queued' && event.message.from === 'agent') {
    const { messageId, sender, content } = event.message
    const fromSeq = timeline.lanes[sender ?? '']?.lastSeq ?? null
    timeline.sent[messageId] = { at: event.at, fromSeq, text: startOfText(textOf(content)) }
  } else if (event.type === 'message-withdrawn') {
    for (const messageId of event.messageIds) delete timeline.sent[messageId]
  } else if (event.type === 'phase-changed') beginPhase(timeline, event)
  // Of a conversation whose record is older than its log.
  else if (event.type === 'conversation-created')
    for (const entry of event.phases) beginPhase(timeline, entry)
}

function beginPhase({ phases }: Timeline, { phase, note, at }: PhaseEntry): void {
  const last = phases.pop()
  if (last !== undefined) phases.push({ ...last, to: at })
  phases.push({ phase, note, from: at, to: null })
}

function received(timeline: Timeline, lane: Lane, event: EventOf<'user-message'>): void {
  const { from: author, sender, messageId, content } = event
  const sent = timeline.sent[messageId]
  delete timeline.sent[messageId]
  // Prompts and notices of an end are the arrows of a start and a report.
  if (author !== 'agent' && author !== 'user') return
  const toAt = lane.lastAt
  timeline.arrows.push({
    ...{ kind: 'message', from: author === 'user' ? null : sender, to: lane.agentId, toAt },
    at: Math.min(sent?.at ?? toAt, toAt),
    ...{ fromSeq: sent?.fromSeq ?? null, toSeq: event.seq },
    text: sent?.text ?? startOfText(withoutFrame(textOf(content))),
  })
}

/** The index in `times` and `orders` of the last event up to a moment; -1: nothing had happened. */
export function indexAt({ times }: Pick<Timeline, 'times'>, at: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

const startOfText = (text: string) => text.trim().slice(0, TEXT_LENGTH)
