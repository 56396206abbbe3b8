/** What the queue of requests shows: its places, the place on the screen, and the ticked requests of its groups. */

import { useMemo, useRef, useState } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type Need, needId, useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { requestPlace } from '../../ui/text/agent-text.ts'
import { requestShape } from './request-shape.ts'
import { type AnsweredByAgent, useAnswered } from './use-answer.ts'

export interface QueueState {
  readonly places: readonly QueuePlace[]
  /** The ids of the open requests and forms. */
  readonly open: ReadonlySet<string>
  /** The key of a place, or that of an answered request. Null: nothing is pending. */
  readonly shown: string | null
  /** Whether `shown` took the place of an answered request, so that a late click may be meant for that one. */
  readonly isReplaced: boolean
  /** By the key of a group that was shown: its ticked requests. */
  readonly ticks: ReadonlyMap<string, ReadonlySet<string>>
  /** The requests that the user answered here. Their events may come later than the confirmation of the answer. */
  readonly own: ReadonlySet<string>
}

export const EMPTY_QUEUE: QueueState = {
  places: [],
  open: new Set(),
  shown: null,
  isReplaced: false,
  ticks: new Map(),
  own: new Set(),
}

interface QueueInput {
  readonly needs: readonly ShapedNeed[]
  /** Whether answered places stay, because the pointer is in the list. */
  readonly hold: boolean
}

/** The state after requests came or were answered. The place on the screen changes only after the user's own answer. */
export function followNeeds(state: QueueState, { needs, hold }: QueueInput): QueueState {
  const open = new Set(needs.map(({ need }) => needId(need)))
  const before = state.places.findIndex(({ key }) => key === state.shown)
  const place = state.places[before]
  const isDone =
    place !== undefined &&
    isAnswered(place, open) &&
    !isAnswered(place, state.open) &&
    openMembers(place, state.open).every((need) => state.own.has(needId(need)))
  const places = arrangeQueue(state.places, needs, { shown: isDone ? null : state.shown, hold })
  if (!isDone && (state.shown !== null || places.length === 0))
    return { ...state, places, open, ticks: withTicks(state, places, open) }
  const waiting = places.filter((place) => !isAnswered(place, open))
  const following = new Set(state.places.slice(before + 1).map(({ key }) => key))
  const next = before < 0 ? waiting[0] : (waiting.find(({ key }) => following.has(key)) ?? waiting.at(-1))
  const shown = next?.key ?? null
  const after = { ...state, shown, isReplaced: isDone }
  return { ...after, places, open, ticks: withTicks(after, places, open) }
}

/** Shows another place, or an answered request. */
export function select(state: QueueState, shown: string): QueueState {
  const next = { ...state, shown, isReplaced: false }
  return { ...next, ticks: withTicks(next, state.places, state.open) }
}

export function toggle(state: QueueState, requestId: string): QueueState {
  const { shown } = state
  const ticked = shown === null ? undefined : state.ticks.get(shown)
  if (shown === null || ticked === undefined) return state
  const next = new Set(ticked)
  if (!next.delete(requestId)) next.add(requestId)
  return { ...state, ticks: new Map(state.ticks).set(shown, next) }
}

/** Ticks every open request of the group on the screen, or none if all are ticked. */
export function toggleAll(state: QueueState): QueueState {
  const place = state.places.find(({ key }) => key === state.shown)
  if (place === undefined || !place.isGroup) return state
  const open = openMembers(place, state.open).map(needId)
  const ticked = state.ticks.get(place.key)
  const isFull = open.every((id) => ticked?.has(id))
  return { ...state, ticks: new Map(state.ticks).set(place.key, new Set(isFull ? [] : open)) }
}

/** The user's answers to these requests are on their way, or `failed`. */
export function answering(state: QueueState, requestIds: readonly string[], failed = false): QueueState {
  const own = new Set(state.own)
  for (const id of requestIds) failed ? own.delete(id) : own.add(id)
  return { ...state, own }
}

export function openMembers(place: QueuePlace, open: ReadonlySet<string>): QueuePlace['members'] {
  return place.members.filter((need) => open.has(needId(need)))
}

function isAnswered(place: QueuePlace | undefined, open: ReadonlySet<string>): boolean {
  return place !== undefined && openMembers(place, open).length === 0
}

/** A group is ticked when it is first shown. Later requests get no tick, so that none is answered unseen. */
function withTicks(
  { shown, ticks }: QueueState,
  places: readonly QueuePlace[],
  open: ReadonlySet<string>,
): QueueState['ticks'] {
  const place = places.find(({ key }) => key === shown)
  if (place === undefined || !place.isGroup || ticks.has(place.key)) return ticks
  return new Map(ticks).set(place.key, new Set(openMembers(place, open).map(needId)))
}

// * The order of the queue. Similar requests share a place. A place never moves, and what the user sees never
// changes into something else: a request that is shown alone stays alone, and what is shown stays until the user
// goes on.

/** A request or form with its shape; see `requestShape`. */
export interface ShapedNeed {
  readonly need: Need
  readonly shape: string | null
}

/** One place of the queue. */
export interface QueuePlace {
  /** The id of the first request. */
  readonly key: string
  readonly shape: string | null
  /** In the order of arrival, with those that are answered until the place goes. */
  readonly members: readonly Need[]
  /** Whether it has, or had, several requests. */
  readonly isGroup: boolean
}

interface ArrangeOptions {
  /** The key of the place on the screen; null: none. */
  readonly shown: string | null
  /** Whether answered places stay, because the pointer is in the list. */
  readonly hold: boolean
}

/** @returns the same array if nothing changed */
export function arrangeQueue(
  places: readonly QueuePlace[],
  needs: readonly ShapedNeed[],
  { shown, hold }: ArrangeOptions,
): readonly QueuePlace[] {
  const open = new Set(needs.map(({ need }) => needId(need)))
  const isOpen = (need: Need) => open.has(needId(need))
  const kept = places.flatMap((place) => {
    if (hold || place.key === shown) return place
    const members = place.members.filter(isOpen)
    if (members.length === place.members.length) return place
    return members.length === 0 ? [] : { ...place, members }
  })
  const known = new Set(kept.flatMap(({ members }) => members.map(needId)))
  const next = [...kept]
  for (const { need, shape } of needs) {
    if (known.has(needId(need))) continue
    const at = next.findIndex(
      (place) => shape !== null && place.shape === shape && (place.isGroup || place.key !== shown),
    )
    const place = next[at]
    if (place === undefined) next.push({ key: needId(need), shape, members: [need], isGroup: false })
    else next[at] = { ...place, members: [...place.members, need], isGroup: true }
  }
  const isSame = next.length === places.length && next.every((place, index) => place === places[index])
  return isSame ? places : next
}

/** The queue of requests as its dialog shows it, while it is open. */
export interface Queue extends QueueState {
  /** Newest first; it does not change while the pointer is in the list. */
  readonly answered: readonly AnsweredByAgent[]
  /** The key of the next open place after the shown one; null: there is no other. */
  readonly next: string | null
  select(key: string): void
  /** To the next or previous row of the list. */
  move(by: 1 | -1 | 'first' | 'last'): void
  toggle(requestId: string): void
  toggleAll(): void
  /** The user's answers to these requests are sent, or `failed`. */
  answering(requestIds: readonly string[], failed?: boolean): void
  /** While the pointer is in the list, nothing in it moves. */
  hold(isHeld: boolean): void
}

export function useQueue(): Queue {
  const needs = useNeeds()
  const answeredNow = useAnswered()
  const [held, setHeld] = useState(false)
  const frozen = useRef(answeredNow)
  if (!held) frozen.current = answeredNow
  const answered = frozen.current
  const shaped = useMemo(() => shapesOf(needs), [needs])
  const [state, setState] = useState(EMPTY_QUEUE)
  const [followed, setFollowed] = useState<readonly unknown[]>([])
  // The state follows the requests before anything is drawn.
  let current = state
  if (followed[0] !== shaped || followed[1] !== held || followed[2] !== state) {
    current = followNeeds(state, { needs: shaped, hold: held })
    setState(current)
    setFollowed([shaped, held, current])
  }
  const { places, open, shown } = current
  const rows = [...places.map(({ key }) => key), ...answered.map(({ key }) => key)]
  const at = shown === null ? -1 : rows.indexOf(shown)
  const waiting = places.filter((place) => !isAnswered(place, open) && place.key !== shown)
  const following = waiting.find(({ key }) => rows.indexOf(key) > at) ?? waiting[0]
  return {
    ...current,
    answered,
    next: following?.key ?? null,
    select: (key) => setState((now) => select(now, key)),
    move(by) {
      const to = by === 'first' ? 0 : by === 'last' ? places.length - 1 : at + by
      const key = rows[Math.max(0, Math.min(rows.length - 1, to))]
      if (key !== undefined) setState((now) => select(now, key))
    },
    toggle: (id) => setState((now) => toggle(now, id)),
    toggleAll: () => setState(toggleAll),
    answering: (ids, failed) => setState((now) => answering(now, ids, failed)),
    hold: setHeld,
  }
}

function shapesOf(needs: readonly Need[]): readonly ShapedNeed[] {
  const { agents } = useConversation.getState()
  return needs.map((need) => ({ need, shape: shapeOf(need, agents.get(need.agentId)) }))
}

function shapeOf({ request }: Need, agent: AgentState | undefined): string | null {
  if (request === undefined || agent === undefined) return null
  return requestShape({ request, isInWorktree: agent.worktree !== null, place: requestPlace(agent) })
}
