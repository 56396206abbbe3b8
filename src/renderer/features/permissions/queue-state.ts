/**
 * What the drawer of requests shows, as a fold: its entries in a fixed order, the entry with the focus, and the selected
 * rows of its groups. An entry keeps its place until the drawer closes, also when it is answered.
 */

import { needId } from '../../stores/conversation-store.ts'
import type { Asked } from '../../stores/requests-store.ts'

/** A request, and its shape: requests of one shape are similar. Null: the request is like no other. */
export interface ShapedRequest {
  readonly asked: Asked
  readonly shape: string | null
  readonly isDangerous: boolean
}

export interface QueueEntry {
  /** The id of the first request. */
  readonly key: string
  readonly shape: string | null
  /** In the order of arrival, with those that are answered. */
  readonly members: readonly Asked[]
  /** Whether it has several requests, or had. */
  readonly isGroup: boolean
}

export interface QueueState {
  readonly entries: readonly QueueEntry[]
  /** The ids of the open requests and forms. */
  readonly open: ReadonlySet<string>
  /** The key of the entry that the keys act on; null: nothing is open. */
  readonly current: string | null
  /** By the key of a group: its selected requests. */
  readonly selected: ReadonlyMap<string, ReadonlySet<string>>
  /** The requests that the user answered here. */
  readonly own: ReadonlySet<string>
}

export const EMPTY_QUEUE: QueueState = {
  entries: [],
  open: new Set(),
  current: null,
  selected: new Map(),
  own: new Set(),
}

interface QueueInput {
  readonly asked: readonly ShapedRequest[]
  /** Whether the pointer is in the list: then no entry grows, and what comes is added at the end. */
  readonly hold: boolean
}

/** The state after requests came or were answered. */
export function followAsked(state: QueueState, { asked, hold }: QueueInput): QueueState {
  const open = new Set(asked.map((one) => needId(one.asked)))
  // With nothing left to press, the list may be arranged anew.
  const isOver = !state.entries.some((entry) => isWaiting(entry, open))
  const known = new Set(state.entries.flatMap(({ members }) => members.map(needId)))
  const added = asked.filter((one) => !known.has(needId(one.asked)))
  const before = isOver && added.length > 0 ? [] : state.entries
  const entries =
    added.length === 0
      ? before
      : before.length === 0
        ? arranged(added)
        : joined(before, added, hold ? new Set() : open)
  const current = currentAfter({ ...state, entries }, open)
  return { ...state, entries, open, current, selected: withSelected(state, entries, open) }
}

/** Dangerous requests first, then groups, then single ones; each in the order of arrival. */
function arranged(asked: readonly ShapedRequest[]): readonly QueueEntry[] {
  const entries: { entry: QueueEntry; isDangerous: boolean }[] = []
  for (const one of asked) {
    const at =
      one.isDangerous || one.shape === null ? -1 : entries.findIndex(({ entry }) => entry.shape === one.shape)
    const found = entries[at]
    if (found === undefined) entries.push({ entry: entryOf(one), isDangerous: one.isDangerous })
    else found.entry = withMember(found.entry, one)
  }
  const rank = ({ entry, isDangerous }: (typeof entries)[number]) => (isDangerous ? 0 : entry.isGroup ? 1 : 2)
  return entries.toSorted((a, b) => rank(a) - rank(b)).map(({ entry }) => entry)
}

/** Nothing moves: what comes is last, or joins similar requests that are `open`. */
function joined(
  before: readonly QueueEntry[],
  added: readonly ShapedRequest[],
  open: ReadonlySet<string>,
): readonly QueueEntry[] {
  const entries = [...before]
  for (const one of added) {
    const isSimilar = (entry: QueueEntry) => entry.shape === one.shape && isWaiting(entry, open)
    const at = one.isDangerous || one.shape === null ? -1 : entries.findIndex(isSimilar)
    const found = entries[at]
    if (found === undefined) entries.push(entryOf(one))
    else entries[at] = withMember(found, one)
  }
  return entries
}

function entryOf({ asked, shape, isDangerous }: ShapedRequest): QueueEntry {
  return { key: needId(asked), shape: isDangerous ? null : shape, members: [asked], isGroup: false }
}

function withMember(entry: QueueEntry, { asked }: ShapedRequest): QueueEntry {
  return { ...entry, members: [...entry.members, asked], isGroup: true }
}

/** The next open entry once the user has answered the current one; otherwise the current one stays. */
function currentAfter({ entries, current, own }: QueueState, open: ReadonlySet<string>): string | null {
  const at = entries.findIndex(({ key }) => key === current)
  const entry = entries[at]
  const isOver = entry?.members.every((one) => own.has(needId(one)) && !open.has(needId(one))) === true
  if (entry !== undefined && !isOver) return current
  const next = [...entries.slice(at + 1), ...entries.slice(0, Math.max(0, at))].find((one) =>
    isWaiting(one, open),
  )
  return next?.key ?? null
}

/** A group that is new is selected. A request that joins later is not, so that none is answered unseen. */
function withSelected(
  { selected, entries: before }: QueueState,
  entries: readonly QueueEntry[],
  open: ReadonlySet<string>,
): QueueState['selected'] {
  const fresh = entries.filter(({ key, isGroup }) => isGroup && !selected.has(key))
  if (fresh.length === 0) return selected
  const all = new Map(selected)
  for (const entry of fresh) {
    const seen = before.find(({ key }) => key === entry.key) ?? entry
    all.set(entry.key, new Set(openMembers(seen, open).map(needId)))
  }
  return all
}

export function select(state: QueueState, key: string): QueueState {
  return { ...state, current: key }
}

/** To the next or the previous entry, or to the first or last one. */
export function moveTo(state: QueueState, by: 1 | -1 | 'first' | 'last'): QueueState {
  const { entries, current } = state
  const at = entries.findIndex(({ key }) => key === current)
  const to =
    by === 'first'
      ? 0
      : by === 'last'
        ? entries.length - 1
        : Math.max(0, Math.min(entries.length - 1, at + by))
  return { ...state, current: entries[to]?.key ?? current }
}

export function toggle(state: QueueState, key: string, requestId: string): QueueState {
  const next = new Set(state.selected.get(key))
  if (!next.delete(requestId)) next.add(requestId)
  return { ...state, selected: new Map(state.selected).set(key, next) }
}

/** Selects every open request of a group, or none if all are selected. */
export function toggleAll(state: QueueState, key: string): QueueState {
  const entry = state.entries.find((one) => one.key === key)
  if (entry === undefined || !entry.isGroup) return state
  const open = openMembers(entry, state.open).map(needId)
  const isFull = open.every((id) => state.selected.get(key)?.has(id))
  return { ...state, selected: new Map(state.selected).set(key, new Set(isFull ? [] : open)) }
}

/** The user's answers to these requests are on their way, or `failed`. */
export function answering(state: QueueState, requestIds: readonly string[], failed = false): QueueState {
  const own = new Set(state.own)
  for (const id of requestIds) failed ? own.delete(id) : own.add(id)
  return { ...state, own }
}

function openMembers(entry: QueueEntry, open: ReadonlySet<string>): QueueEntry['members'] {
  return entry.members.filter((one) => open.has(needId(one)))
}

function isWaiting(entry: QueueEntry, open: ReadonlySet<string>): boolean {
  return openMembers(entry, open).length > 0
}
