/** The keys of a view, which work wherever its focus is. */
import { type Ref, useEffect, useRef } from 'react'
import { isFind } from '../ui/platform.ts'

/**
 * Keys that work anywhere in the element of the returned ref, and while nothing has the focus: a focused element
 * may disappear as agents work. `run` returns whether the key was handled.
 */
export function useViewKeys(run: (event: KeyboardEvent) => boolean): Ref<HTMLDivElement> {
  const top = useRef<HTMLDivElement>(null)
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event
      const find = isFind(event)
      if (!find && (event.ctrlKey || event.metaKey || event.altKey || event.repeat)) return
      if (!(target instanceof HTMLElement)) return
      if (target !== document.body && top.current?.contains(target) !== true) return
      if (!find && target.closest('input, textarea') !== null) return
      // A disabled button swallows every key.
      if (event.defaultPrevented && target.getAttribute('aria-disabled') !== 'true') return
      if (latest.current(event)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return top
}
