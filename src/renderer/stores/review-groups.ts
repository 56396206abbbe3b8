/** Sorts worktrees into the groups of Review, in display order. */
import type { ReviewSnapshot, ReviewWorktree } from '../../shared/worktrees/review.ts'

type ReviewGroupName = 'ready' | 'conflicts' | 'working' | 'merged' | 'orphaned'

export interface ReviewGroup {
  readonly name: ReviewGroupName
  readonly title: string
  readonly worktrees: readonly ReviewWorktree[]
}

const TITLES: Readonly<Record<ReviewGroupName, string>> = {
  ready: 'Ready to merge',
  conflicts: 'Conflicts',
  working: 'Still working',
  merged: 'Merged',
  orphaned: 'Orphaned',
}

/** The groups of the worktrees, without empty groups. */
export function groupsOf(snapshot: ReviewSnapshot): readonly ReviewGroup[] {
  const rank = new Map(snapshot.order.map((id, index) => [id, index]))
  const rankOf = ({ id }: ReviewWorktree) => rank.get(id) ?? snapshot.order.length
  const sorted = snapshot.worktrees.toSorted((a, b) => rankOf(a) - rankOf(b) || b.createdAt - a.createdAt)
  return (Object.keys(TITLES) as ReviewGroupName[])
    .map((name) => ({
      name,
      title: TITLES[name],
      worktrees: sorted.filter((worktree) => groupOf(worktree, rank) === name),
    }))
    .filter(({ worktrees }) => worktrees.length > 0)
}

/** The group of a worktree. The first to merge of two conflicting worktrees counts as ready. */
function groupOf(worktree: ReviewWorktree, rank: ReadonlyMap<string, number>): ReviewGroupName {
  if (worktree.state !== 'ready') return worktree.state
  if (worktree.check?.kind === 'conflicts' || worktree.resolving !== null) return 'conflicts'
  return firstConflicting(worktree, rank) === null ? 'ready' : 'conflicts'
}

/** The id of a conflicting worktree that is merged before this one; null: none. */
function firstConflicting(worktree: ReviewWorktree, rank: ReadonlyMap<string, number>): string | null {
  const own = rank.get(worktree.id) ?? Number.POSITIVE_INFINITY
  const other = worktree.conflictsWith.find(({ id }) => (rank.get(id) ?? Number.POSITIVE_INFINITY) < own)
  return other?.id ?? null
}

/** The ready worktrees. */
export function waitingIn(snapshot: ReviewSnapshot | null): readonly ReviewWorktree[] {
  return snapshot?.worktrees.filter(({ state }) => state === 'ready') ?? []
}

/** All worktrees, in display order. */
export function listedIn(snapshot: ReviewSnapshot): readonly ReviewWorktree[] {
  return groupsOf(snapshot).flatMap(({ worktrees }) => worktrees)
}
