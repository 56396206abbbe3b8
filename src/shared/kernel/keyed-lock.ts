/** Mutual exclusion per key: calls with the same key run one after the other, in the order they arrived. */
export class KeyedLock {
  private readonly last = new Map<string, Promise<unknown>>()

  /** Runs `act` once every earlier call with this key has settled, whether it succeeded or failed. */
  withLock<T>(key: string, act: () => Promise<T>): Promise<T> {
    const result = (this.last.get(key) ?? Promise.resolve()).then(act)
    const settled = result.catch(() => undefined)
    this.last.set(key, settled)
    void settled.then(() => {
      if (this.last.get(key) === settled) this.last.delete(key)
    })
    return result
  }

  /** The number of locked keys. */
  get size(): number {
    return this.last.size
  }
}
