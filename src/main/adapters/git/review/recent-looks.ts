/** What a list has just seen of worktrees: who asks for the changes of one right after it is shown the same. */

export interface RecentLooks<Work> {
  put(path: string, work: Work): void
  /** Once, and only right after it was seen; else null. */
  take(path: string): Work | null
  clear(): void
}

/** ms */
const FRESH_FOR = 500

/** @param now ms since the epoch */
export function createRecentLooks<Work>(now: () => number): RecentLooks<Work> {
  const looks = new Map<string, { readonly work: Work; readonly at: number }>()
  return {
    put: (path, work) => void looks.set(path, { work, at: now() }),
    take(path) {
      const look = looks.get(path)
      looks.delete(path)
      const age = look ? now() - look.at : 0
      return look && age >= 0 && age <= FRESH_FOR ? look.work : null
    },
    clear: () => looks.clear(),
  }
}
