import { Semaphore } from '../../../shared/kernel/semaphore.ts'

/** Runs `work` on every item, at most `limit` at a time. The results are in the order of the items. */
export function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const semaphore = new Semaphore(() => limit)
  return Promise.all(items.map((item) => semaphore.run(() => work(item))))
}
