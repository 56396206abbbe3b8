/** Refs that keep commits from garbage collection. */

/** Discarded content, until the next start. */
export const trashRef = (id: string): string => `refs/troupe/trash/${id}`

/** Commits of a worktree that were on no branch. They stay as long as the worktree, and 30 days more. */
export const keptRef = (id: string, commit: string): string => `refs/troupe/kept/${id}.${commit.slice(0, 12)}`

/** The pattern of all kept refs of a worktree. */
export const keptRefsOf = (id: string): string => `refs/troupe/kept/${id}.*`

/** The worktree of a kept ref; null: the ref is not a kept ref. */
export const ownerOfKept = (ref: string): string | null =>
  /^refs\/troupe\/kept\/([a-z0-9-]+)(?:\.|$)/.exec(ref)?.[1] ?? null
