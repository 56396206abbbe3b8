/** Keeps the snapshots of the last list for a moment, so that the changes opened from the list match the list. */

export interface RecentSnapshots<Work> {
  put(path: string, work: Work): void
  /** The snapshot, once and only while it is fresh; else null. */
  take(path: string): Work | null
  clear(): void
}

/** ms. */
const FRESH_FOR = 500

/** @param now ms since the epoch */
export function createRecentSnapshots<Work>(now: () => number): RecentSnapshots<Work> {
  const snapshots = new Map<string, { readonly work: Work; readonly at: number }>()
  return {
    put: (path, work) => void snapshots.set(path, { work, at: now() }),
    take(path) {
      const snapshot = snapshots.get(path)
      snapshots.delete(path)
      const age = snapshot ? now() - snapshot.at : 0
      return snapshot && age >= 0 && age <= FRESH_FOR ? snapshot.work : null
    },
    clear: () => snapshots.clear(),
  }
}
