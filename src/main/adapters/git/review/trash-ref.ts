/** Refs of this program beside its branches: nobody's `git gc` takes what a ref names. */

/** What was discarded, until the next start. */
export const trashRef = (id: string): string => `refs/troupe/trash/${id}`

/** Work that was on no branch when something was taken back. It stays as long as its worktree, and 30 days more. */
export const keptRef = (id: string, commit: string): string => `refs/troupe/kept/${id}.${commit.slice(0, 12)}`

/** Whose work a kept ref holds; null: it is none. */
export const ownerOfKept = (ref: string): string | null =>
  /^refs\/troupe\/kept\/([a-z0-9-]+)(?:\.|$)/.exec(ref)?.[1] ?? null
