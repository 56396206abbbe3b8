/**
 * Follows the end of a transcript until the person scrolls up, and again once they are back at the end.
 * What moves by itself (text that grows, rows that turn out lower than estimated) never counts as scrolling.
 */

/** What is known of a scrolling element, in px. */
export interface ScrollPlace {
  readonly top: number
  readonly height: number
  readonly visible: number
}

export interface FollowState {
  readonly following: boolean
  readonly place: ScrollPlace
}

/** So near to the end counts as being there: text sizes make fractions of pixels. */
const AT_END = 4

export const followAtFirst: FollowState = { following: true, place: { top: 0, height: 0, visible: 0 } }

export function distanceFromEnd({ top, height, visible }: ScrollPlace): number {
  return Math.max(0, height - visible - top)
}

/** The state after the element scrolled; `byPerson`: a person has just used the wheel, a key or the pointer on it. */
export function afterScroll(state: FollowState, place: ScrollPlace, byPerson: boolean): FollowState {
  if (distanceFromEnd(place) <= AT_END) return { following: true, place }
  const movedUp = place.top < state.place.top - 1
  return { following: state.following && !(byPerson && movedUp), place }
}

/** The person opened something or jumped to a place: what follows must not carry them away. */
export function holdStill(state: FollowState): FollowState {
  return { ...state, following: false }
}
