/** The current size of an element, in px. */
import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Size } from './geometry.ts'

export function useSize(element: RefObject<HTMLElement | null>, initial: Size): Size {
  const [size, setSize] = useState(initial)
  useLayoutEffect(() => {
    const observed = element.current
    if (observed === null) return
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = observed
      if (width === 0 || height === 0) return
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }))
    }
    measure()
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(measure)
    observer.observe(observed)
    return () => observer.disconnect()
  }, [element])
  return size
}
