/**
 * The order of the queue. Alike requests share a place. A place never moves, and what the user sees never changes
 * into something else: a request that is shown alone stays alone, and what is shown stays until the user goes on.
 */
import { type Need, needId } from '../../stores/conversation-store.ts'

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
