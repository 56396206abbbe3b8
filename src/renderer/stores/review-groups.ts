/**
 * The cards of Review in groups. A card keeps its place while the view is open, whatever happens to its worktree, so
 * that a press never hits another card. The user sorts the cards again.
 */
import type { ReviewSnapshot, ReviewWorktree } from '../../shared/worktrees/review.ts'

type ReviewGroupName = 'ready' | 'conflicts' | 'working' | 'merged' | 'orphaned' | 'added'

/** The place of a card: its group, and its position in the list of places. */
export interface CardPlace {
  readonly id: string
  readonly group: ReviewGroupName
}

export interface ReviewGroup {
  readonly name: ReviewGroupName
  readonly title: string
  readonly worktrees: readonly ReviewWorktree[]
  /** The number of its worktrees that still belong here. */
  readonly stillHere: number
}

const TITLES: Readonly<Record<ReviewGroupName, string>> = {
  ready: 'Ready to merge',
  conflicts: 'Conflicts',
  working: 'Still working',
  merged: 'Merged',
  orphaned: 'Orphaned',
  added: 'New',
}

/** The places by state, in merge order. Equal ranks: the newest worktree first. */
export function sortedPlaces(snapshot: ReviewSnapshot): readonly CardPlace[] {
  const rank = rankOf(snapshot)
  const last = snapshot.order.length
  const sorted = snapshot.worktrees
    .toSorted((a, b) => (rank.get(a.id) ?? last) - (rank.get(b.id) ?? last) || b.createdAt - a.createdAt)
    .map((worktree): CardPlace => ({ id: worktree.id, group: groupOf(worktree, rank) }))
  return (Object.keys(TITLES) as ReviewGroupName[]).flatMap((name) =>
    sorted.filter(({ group }) => group === name),
  )
}

/**
 * The same places, with the worktrees that were added since at the end. The place of a worktree that is gone is kept:
 * a discard can be undone.
 */
export function keptPlaces(places: readonly CardPlace[], snapshot: ReviewSnapshot): readonly CardPlace[] {
  const known = new Set(places.map(({ id }) => id))
  const added = sortedPlaces(snapshot).filter(({ id }) => !known.has(id))
  return added.length === 0
    ? places
    : [...places, ...added.map(({ id }) => ({ id, group: 'added' as const }))]
}

/** The groups of the worktrees at their places, without empty groups. */
export function groupsAt(places: readonly CardPlace[], snapshot: ReviewSnapshot): readonly ReviewGroup[] {
  const rank = rankOf(snapshot)
  const worktrees = new Map(snapshot.worktrees.map((worktree) => [worktree.id, worktree]))
  return (Object.keys(TITLES) as ReviewGroupName[])
    .map((name): ReviewGroup => {
      const here = places.filter(({ group }) => group === name).flatMap(({ id }) => worktrees.get(id) ?? [])
      const isHere = (worktree: ReviewWorktree) => name === 'added' || groupOf(worktree, rank) === name
      return { name, title: TITLES[name], worktrees: here, stillHere: here.filter(isHere).length }
    })
    .filter((group) => group.worktrees.length > 0)
}

/** Whether the places are those that sorting gives. */
export function isSorted(places: readonly CardPlace[], snapshot: ReviewSnapshot): boolean {
  const sorted = sortedPlaces(snapshot)
  const present = new Set(sorted.map(({ id }) => id))
  const shown = places.filter(({ id }) => present.has(id))
  return sorted.every(({ id, group }, index) => shown[index]?.id === id && shown[index].group === group)
}

/** Whether the merge of every ready worktree is checked. Until then, groups are not final. */
export const isChecked = ({ worktrees }: ReviewSnapshot): boolean =>
  worktrees.every(({ state, check }) => state !== 'ready' || check !== null)

/** The ids of the worktrees that are ready to merge now, before those that they conflict with. */
export function readyIds(snapshot: ReviewSnapshot): ReadonlySet<string> {
  const rank = rankOf(snapshot)
  const ready = snapshot.worktrees.filter((worktree) => groupOf(worktree, rank) === 'ready')
  return new Set(ready.map(({ id }) => id))
}

const rankOf = ({ order }: ReviewSnapshot): ReadonlyMap<string, number> =>
  new Map(order.map((id, index) => [id, index]))

/** The first to merge of two conflicting worktrees counts as ready. */
function groupOf(worktree: ReviewWorktree, rank: ReadonlyMap<string, number>): ReviewGroupName {
  if (worktree.state !== 'ready') return worktree.state
  if (worktree.check?.kind === 'conflicts' || worktree.resolving !== null) return 'conflicts'
  const positionOf = (id: string) => rank.get(id) ?? Number.POSITIVE_INFINITY
  const own = positionOf(worktree.id)
  return worktree.conflictsWith.some(({ id }) => positionOf(id) < own) ? 'conflicts' : 'ready'
}
