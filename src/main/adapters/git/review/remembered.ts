/** What git said about commits and trees: those never change, so the answer is asked for once. */
import type { Result } from '../../../../shared/result.ts'

/**
 * @returns a function that asks `find` for a key it does not know. Failures are not kept; of more than `most`
 *   answers the oldest go.
 */
export function remember<V>(
  most: number,
): (key: string, find: () => Promise<Result<V>>) => Promise<Result<V>> {
  const known = new Map<string, Promise<Result<V>>>()
  return (key, find) => {
    const before = known.get(key)
    if (before) return before
    const answer = find()
    known.set(key, answer)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    void answer.then(
      (found) => {
        if (!found.ok && known.get(key) === answer) known.delete(key)
      },
      () => known.delete(key),
    )
    return answer
  }
}
