/** Keeps the focus in a group of chips when the focused chip is removed. */
import { useEffect, useRef } from 'react'

/** `group` needs `tabIndex={-1}`. Call `keepFocus` before the change. */
export function useKeptFocus() {
  const group = useRef<HTMLDivElement>(null)
  const wasInside = useRef(false)
  useEffect(() => {
    if (wasInside.current && document.activeElement === document.body) group.current?.focus()
    wasInside.current = false
  })
  return {
    group,
    keepFocus: () => {
      wasInside.current = group.current?.contains(document.activeElement) === true
    },
  }
}
