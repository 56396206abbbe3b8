import { type RefObject, useEffect, useRef } from 'react'

/** Returns the focus to an element that was unmounted while `busy`, unless another element has the focus. */
export function useFocusAfter<T extends HTMLElement>(busy: boolean): RefObject<T | null> {
  const element = useRef<T>(null)
  const wasBusy = useRef(false)
  useEffect(() => {
    if (wasBusy.current && !busy && document.activeElement === document.body) element.current?.focus()
    wasBusy.current = busy
  }, [busy])
  return element
}
