/**
 * Follows the end of a transcript until the user scrolls up, and again after the user returns to the end. Layout
 * changes (growing text, rows lower than estimated) never count as scrolling.
 */

/** The measures of a scrolling element, in px. */
export interface ScrollAnchor {
  readonly top: number
  readonly height: number
  readonly visible: number
}

export interface FollowState {
  readonly following: boolean
  readonly position: ScrollAnchor
}

/** The distance that counts as the end, because text sizes cause fractions of pixels. */
const AT_END = 4

export const followAtFirst: FollowState = { following: true, position: { top: 0, height: 0, visible: 0 } }

export function distanceFromEnd({ top, height, visible }: ScrollAnchor): number {
  return Math.max(0, height - visible - top)
}

/** The state after the element scrolled. `byPerson`: the user has just used the wheel, a key or the pointer. */
export function afterScroll(state: FollowState, position: ScrollAnchor, byPerson: boolean): FollowState {
  if (distanceFromEnd(position) <= AT_END) return { following: true, position }
  const movedUp = position.top < state.position.top - 1
  return { following: state.following && !(byPerson && movedUp), position }
}

/** The user opened a row or jumped to a position. New rows must not scroll the view. */
export function holdStill(state: FollowState): FollowState {
  return { ...state, following: false }
}
