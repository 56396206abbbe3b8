/**
 * The timeline of the shown conversation, and what of it the user looks at. The main process answers with the timeline up to
 * now; live events are folded here with the same function. The timeline changes in place: `version` says that it did.
 */
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { Span, SpanKind } from '../../../shared/timeline/span.ts'
import { addToTimeline, emptyTimeline, type Timeline } from '../../../shared/timeline/timeline.ts'
import { command, LatestAnswer } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { leaveReplay, replayAt, useReplay } from '../../stores/replay-store.ts'
import { DelayedCall } from '../../ui/machine.ts'
import type { StopKind } from './replay-stops.ts'

interface TimelineState {
  readonly conversationId: string | null
  readonly phase: 'none' | 'loading' | 'ready' | 'failed'
  /** Why it can't be read, or no further. */
  readonly problem: string | null
  readonly timeline: Timeline
  readonly version: number
  /** Events that arrive before the answer. Grows in place. */
  readonly waiting: LoggedEvent[]
}

const NONE: TimelineState = {
  ...{
    conversationId: null,
    phase: 'none',
    problem: null,
    timeline: emptyTimeline(),
    version: 0,
    waiting: [],
  },
}

export const useTimelineStore = create<TimelineState>()(() => NONE)

const answers = new LatestAnswer()

/** The timeline of the shown conversation, which loads once its agents are on the screen. */
export function useTimeline(): TimelineState {
  const conversationId = useLoadedTimeline(0)
  const state = useTimelineStore()
  return state.conversationId === conversationId ? state : NONE
}

/**
 * Loads the timeline of the shown conversation.
 *
 * @param wait ms before it is asked for: what the user looks at comes first
 * @returns the conversation; null: none is on the screen
 */
export function useLoadedTimeline(wait: number): string | null {
  const conversationId = useConversation((state) => (state.phase === 'ready' ? state.conversationId : null))
  useEffect(() => {
    const later = new DelayedCall(() => {
      const { conversationId: loaded, phase, timeline } = useTimelineStore.getState()
      // Events of a conversation that was not on the screen are missing.
      const isWhole = phase === 'loading' || timeline.lastOrder >= useConversation.getState().lastOrder
      if (conversationId !== null && (conversationId !== loaded || !isWhole)) void load(conversationId)
    }, wait)
    later.schedule()
    return () => later.cancel()
  }, [conversationId, wait])
  return conversationId
}

async function load(conversationId: string): Promise<void> {
  const isLatest = answers.begin()
  const waiting: LoggedEvent[] = []
  if (conversationId !== useTimelineStore.getState().conversationId) resetLook()
  useTimelineStore.setState({ ...NONE, conversationId, phase: 'loading', waiting }, true)
  const answer = await command('conversation.timeline', { conversationId })
  if (!isLatest()) return
  if (!answer.ok) {
    useTimelineStore.setState({ phase: 'failed', problem: answer.failure.message })
    return
  }
  const { timeline, problem } = answer.value
  for (const event of waiting) addToTimeline(timeline, event)
  useTimelineStore.setState({ phase: 'ready', timeline, problem, version: 1, waiting: [] })
}

/** Shows the last moment as a past one, from which a replay goes on; or the present again. */
export async function toggleReplay(): Promise<void> {
  if (useReplay.getState().at !== null) return leaveReplay()
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const known = useTimelineStore.getState()
  if (known.conversationId !== conversationId || known.phase !== 'ready') await load(conversationId)
  const { phase, problem, timeline, conversationId: loaded } = useTimelineStore.getState()
  if (phase === 'failed' && problem !== null) showNotice({ level: 'error', text: problem })
  if (phase === 'ready' && loaded === conversationId) replayAt(timeline.to, timeline)
}

/** Applies a batch with one store update. */
export function receiveTimeline(deltas: readonly WindowDelta[]): void {
  const { conversationId, phase, timeline, version, waiting } = useTimelineStore.getState()
  if (conversationId === null || phase === 'failed') return
  let isChanged = false
  for (const delta of deltas) {
    if (delta.type !== 'event' && delta.type !== 'conversation-event') continue
    if (delta.conversationId !== conversationId) continue
    if (phase === 'loading') waiting.push(delta.event)
    else addToTimeline(timeline, delta.event)
    isChanged = true
  }
  if (isChanged && phase === 'ready') useTimelineStore.setState({ version: version + 1 })
}

// ---- What the user looks at. ----

/** Ms since the epoch. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A span by what does not change when it ends. */
export type SpanKey = Pick<Span, 'agentId' | 'seq' | 'kind' | 'from'>

/** What the legend hides. */
export type HiddenKinds = ReadonlySet<SpanKind | 'arrows'>

interface Look {
  /** Null: all of it, also what is still to come. */
  readonly range: Range | null
  /** The agent whose spans the keys reach; null: the first. */
  readonly agentId: string | null
  readonly selected: SpanKey | null
  readonly hovered: SpanKey | null
  /** Of the filter. */
  readonly words: string
  readonly hidden: HiddenKinds
  /** Where a replay stops. */
  readonly stops: StopKind
}

const START: Look = {
  ...{
    range: null,
    agentId: null,
    selected: null,
    hovered: null,
    words: '',
    hidden: new Set<never>(),
    stops: 'all',
  },
}

export const useLook = create<Look>()(() => START)

const resetLook = () => useLook.setState(START)

/** How long the shown part must stay before it is summed up, in ms: sums take longer than a picture. */
const QUIET = 150

/** The shown part, once it has stayed for a moment. Null: all of it. */
export function useSettledRange(): Range | null {
  const [range, setRange] = useState(() => useLook.getState().range)
  useEffect(() => {
    const later = new DelayedCall(() => setRange(useLook.getState().range), QUIET)
    const stop = useLook.subscribe((now, before) => {
      if (now.range === before.range) return
      later.cancel()
      later.schedule()
    })
    return () => {
      stop()
      later.cancel()
    }
  }, [])
  return range
}

export function isSame(span: SpanKey, key: SpanKey | null): boolean {
  return (
    key !== null &&
    span.agentId === key.agentId &&
    span.seq === key.seq &&
    span.kind === key.kind &&
    span.from === key.from
  )
}

export const spanKey = ({ agentId, seq, kind, from }: Span): SpanKey => ({ agentId, seq, kind, from })

/** The shortest time that can fill the width, in ms. */
const SHORTEST = 20

/** Shows a part of the whole: never more than that, never less than the shortest time. */
export function showPart({ from, to }: Range, whole: Range): void {
  const length = Math.max(SHORTEST, Math.min(to - from, whole.to - whole.from))
  const middle = (from + to) / 2
  const start = Math.max(whole.from, Math.min(middle - length / 2, whole.to - length))
  const isWhole = length >= whole.to - whole.from
  useLook.setState({ range: isWhole ? null : { from: start, to: start + length } })
}

/** Zooms by a factor (below 1: closer) around a moment. */
export function zoom(factor: number, around: number, whole: Range): void {
  const { from, to } = useLook.getState().range ?? whole
  showPart({ from: around - (around - from) * factor, to: around + (to - around) * factor }, whole)
}

/** Moves the shown part by a time in ms. */
export function pan(ms: number, whole: Range): void {
  const { from, to } = useLook.getState().range ?? whole
  const by = Math.max(whole.from - from, Math.min(ms, whole.to - to))
  showPart({ from: from + by, to: to + by }, whole)
}

/** Selects a span, and brings it into the shown part. */
export function selectSpan(span: Span, whole: Range): void {
  const { range } = useLook.getState()
  useLook.setState({ selected: spanKey(span), agentId: span.agentId })
  if (range === null) return
  const end = span.to ?? whole.to
  const length = range.to - range.from
  if (end < range.from || span.from > range.to) {
    const middle = (span.from + Math.min(end, span.from + length)) / 2
    showPart({ from: middle - length / 2, to: middle + length / 2 }, whole)
  }
}

/** Hides a kind of span, or shows it again. */
export function toggleKind(kind: SpanKind | 'arrows'): void {
  const { hidden } = useLook.getState()
  const next = new Set(hidden)
  if (!next.delete(kind)) next.add(kind)
  useLook.setState({ hidden: next })
}
