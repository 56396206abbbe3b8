import { useState } from 'react'

/** A value that outlives the window, as long as `isValid` says so of what was kept. */
export function useKept<T>(
  key: string,
  usual: T,
  isValid: (value: unknown) => value is T,
): readonly [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => read(key, isValid) ?? usual)
  const change = (next: T) => {
    setValue(next)
    localStorage.setItem(key, JSON.stringify(next))
  }
  return [value, change]
}

function read<T>(key: string, isValid: (value: unknown) => value is T): T | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(kept) ? kept : null
  } catch {
    return null
  }
}
