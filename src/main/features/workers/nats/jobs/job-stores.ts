import type { JobStore } from './job-store.ts'

/** The store, as soon as a connection was made for the first time. */
export interface JobStores {
  /** Null: there was no connection yet. */
  current(): JobStore | null
  /** Calls the listener when the store opens, until the returned function is called. */
  onOpen(listener: () => void): () => void
}
