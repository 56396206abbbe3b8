import { type RefObject, useLayoutEffect, useState } from 'react'

/** The current width of an element in px. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => globalThis.innerWidth)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const measure = () => {
      if (current.clientWidth > 0) setWidth(current.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}
