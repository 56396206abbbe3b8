/** Caches the results of an asynchronous call by key. */
import type { Failure, Result } from './result.ts'

/**
 * Concurrent calls with one key share one computation. Failures are not cached. Above `maxEntries` the oldest
 * entry is dropped.
 * @returns a function that computes the value of a key that is not cached
 */
export function memoizeAsync<V, F = Failure>(
  maxEntries: number,
): (key: string, compute: () => Promise<Result<V, F>>) => Promise<Result<V, F>> {
  const entries = new Map<string, Promise<Result<V, F>>>()
  return (key, compute) => {
    const cached = entries.get(key)
    if (cached) return cached
    const result = compute()
    entries.set(key, result)
    const [oldest] = entries.keys()
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    const forget = () => {
      if (entries.get(key) === result) entries.delete(key)
    }
    void result.then(({ ok }) => {
      if (!ok) forget()
    }, forget)
    return result
  }
}
