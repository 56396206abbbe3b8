/** Keeps the focus in a group of chips when the one that was pressed goes away. */
import { useEffect, useRef } from 'react'

/** `group` is for an element that takes the focus, with `tabIndex={-1}`. Call `keepFocus` before the change. */
export function useFocusKept() {
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
