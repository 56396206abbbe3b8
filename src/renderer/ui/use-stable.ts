import { useRef } from 'react'

/** A selector that returns its previous result as long as `same` finds no difference. */
export function useStable<S, T>(select: (state: S) => T, same: (a: T, b: T) => boolean): (state: S) => T {
  const last = useRef<T | null>(null)
  return (state) => {
    const next = select(state)
    if (last.current !== null && same(last.current, next)) return last.current
    last.current = next
    return next
  }
}
