import { useState } from 'react'

/** A state in the window's local storage. Stored values that fail `isValid` are ignored. */
export function useStoredState<T>(
  key: string,
  initial: T,
  isValid: (value: unknown) => value is T,
): readonly [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => read(key, isValid) ?? initial)
  const change = (next: T) => {
    setValue(next)
    localStorage.setItem(key, JSON.stringify(next))
  }
  return [value, change]
}

function read<T>(key: string, isValid: (value: unknown) => value is T): T | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(stored) ? stored : null
  } catch {
    return null
  }
}
