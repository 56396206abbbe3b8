import { useRef } from 'react'

/** A selector whose result stays the same object as long as `same` says that nothing is different. */
export function useStable<S, T>(select: (state: S) => T, same: (a: T, b: T) => boolean): (state: S) => T {
  const last = useRef<T | null>(null)
  return (state) => {
    const next = select(state)
    if (last.current !== null && same(last.current, next)) return last.current
    last.current = next
    return next
  }
}
