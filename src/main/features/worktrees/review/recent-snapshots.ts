/** Keeps the snapshots of the last list for a moment, so that the changes opened from the list match the list. */

export interface RecentSnapshots<Work> {
  put(key: string, work: Work): void
  /** The snapshot, once and only while it is fresh; else null. */
  take(key: string): Work | null
  clear(): void
}

/** ms. */
const FRESH_FOR = 500

/** @param now ms since the epoch */
export function createRecentSnapshots<Work>(now: () => number): RecentSnapshots<Work> {
  const snapshots = new Map<string, { readonly work: Work; readonly at: number }>()
  return {
    put: (key, work) => void snapshots.set(key, { work, at: now() }),
    take(key) {
      const snapshot = snapshots.get(key)
      snapshots.delete(key)
      const age = snapshot ? now() - snapshot.at : 0
      return snapshot && age >= 0 && age <= FRESH_FOR ? snapshot.work : null
    },
    clear: () => snapshots.clear(),
  }
}
