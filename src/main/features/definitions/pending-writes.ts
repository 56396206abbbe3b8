/** Writes of definition files that are under way. An agent that starts after one sees its text. */
export interface PendingWrites {
  /** Counts a write until it settles, and returns it. */
  add<T>(write: Promise<T>): Promise<T>
  /** Resolves when the writes that are under way now have settled. */
  settled(): Promise<void>
}

export function createPendingWrites(): PendingWrites {
  const pending = new Set<Promise<unknown>>()
  return {
    add(write) {
      pending.add(write)
      const forget = () => pending.delete(write)
      void write.then(forget, forget)
      return write
    },
    settled: async () => void (await Promise.allSettled(pending)),
  }
}
