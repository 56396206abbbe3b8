import { type RefObject, useLayoutEffect, useState } from 'react'

/** The width of an element in px, as it is now. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => globalThis.innerWidth)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const look = () => {
      if (current.clientWidth > 0) setWidth(current.clientWidth)
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}
