/** Refs of this program beside its branches: nobody's `git gc` takes what a ref names. */

/** What was discarded, until the next start. */
export const trashRef = (id: string): string => `refs/troupe/trash/${id}`

/** Work that was on no branch when something was taken back: it is never removed by this program. */
export const keptRef = (id: string): string => `refs/troupe/kept/${id}`
