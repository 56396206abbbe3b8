/** Refs that keep commits from garbage collection. */

/** Discarded content, until the next start. */
export const trashRef = (id: string): string => `refs/troupe/trash/${id}`

/** Commits of a worktree that were on no branch. They stay as long as the worktree, and 30 days more. */
export const keptRef = (id: string, commit: string): string => `refs/troupe/kept/${id}.${commit.slice(0, 12)}`

/** The pattern of all kept refs of a worktree. */
export const keptRefsOf = (id: string): string => `refs/troupe/kept/${id}.*`

/** The work at the time when comments on it were sent. It stays as long as kept refs. */
export const askedRef = (id: string, commit: string): string =>
  `refs/troupe/asked/${id}.${commit.slice(0, 12)}`

/** The worktree of a kept or asked ref; null: the ref is neither. */
export const ownerOfKept = (ref: string): string | null =>
  /^refs\/troupe\/(?:kept|asked)\/([a-z0-9-]+)(?:\.|$)/.exec(ref)?.[1] ?? null
