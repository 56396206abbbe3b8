/** Rate limits of the current key, as several processes with the same key tell each other. */
export interface SharedLimits {
  /** The API refused a request of this process until then, in ms since the epoch. */
  publish(until: number): void
  /** Calls back with the limits that others were told, also with one that began earlier, until the returned function is called. */
  subscribe(listener: (until: number) => void): () => void
  /** The key changed: the limits of the new one apply. */
  keyChanged(): void
}
