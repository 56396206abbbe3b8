/** The open or closed state of one part of a row. */
import { useCallback, useSyncExternalStore } from 'react'
import { useSurroundings } from './surroundings.ts'

/** Whether the part of a row with that key is open, and the function that opens or closes it. */
export function useFold(key: string, atFirst = false): readonly [boolean, () => void] {
  const { folds } = useSurroundings()
  const subscribe = useCallback((listener: () => void) => folds.subscribe(key, listener), [folds, key])
  const open = useSyncExternalStore(subscribe, () => folds.get(key)) ?? atFirst
  const toggle = useCallback(() => folds.toggle(key, atFirst), [folds, key, atFirst])
  return [open, toggle]
}
