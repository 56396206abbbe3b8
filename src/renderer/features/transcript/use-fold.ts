/** The open or closed state of one part of a row. */
import { useCallback, useSyncExternalStore } from 'react'
import { useSurroundings } from './surroundings.ts'

/** Whether the part is open, and a function that toggles the part. */
export function useFold(key: string, atFirst = false): readonly [boolean, () => void] {
  const { folds } = useSurroundings()
  const subscribe = useCallback((listener: () => void) => folds.subscribe(key, listener), [folds, key])
  const open = useSyncExternalStore(subscribe, () => folds.get(key)) ?? atFirst
  const toggle = useCallback(() => folds.toggle(key, atFirst), [folds, key, atFirst])
  return [open, toggle]
}
