/** A value that is made at its first use, and kept. */
export function once<T>(make: () => T): () => T {
  const made: T[] = []
  return () => {
    if (made.length === 0) made.push(make())
    return made[0] as T
  }
}
