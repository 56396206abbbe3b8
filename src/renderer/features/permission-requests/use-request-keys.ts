/** A, Shift A and D answer a request while its card has the focus, and nowhere else. */
import { type RefObject, useEffect, useRef } from 'react'
import { isEditable } from '../../ui/platform.ts'

export interface RequestActions {
  once(): void
  /** Null when no rule can be saved for the request. */
  readonly always: (() => void) | null
  deny(): void
}

/** Keys are ignored this long after a request appears: a key pressed earlier was meant for something else. */
const GRACE_MS = 400

export function useRequestKeys(
  card: RefObject<HTMLElement | null>,
  active: boolean,
  actions: RequestActions,
): void {
  const latest = useRef(actions)
  latest.current = actions
  const since = useRef(0)
  useEffect(() => {
    since.current = performance.now()
  }, [])
  useEffect(() => {
    const element = card.current
    if (!active || !element) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
      if (isEditable(event.target) || performance.now() - since.current < GRACE_MS) return
      const key = event.key.toLowerCase()
      const { once, always, deny } = latest.current
      if (key === 'a' && event.shiftKey) always?.()
      else if (key === 'a') once()
      else if (key === 'd' && !event.shiftKey) deny()
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [card, active])
}
