/** What the queue of requests shows: its places, the place on the screen, and the ticked requests of its groups. */
import { needId } from '../../stores/conversation-store.ts'
import { arrangeQueue, type QueuePlace, type ShapedNeed } from './arrange-queue.ts'

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

export function isAnswered(place: QueuePlace | undefined, open: ReadonlySet<string>): boolean {
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
