/** A, Shift A and D answer the visible request while its card or the panel around it has the focus. */
import { type RefObject, useEffect, useRef } from 'react'

export interface RequestActions {
  once(): void
  /** Null when no rule can be saved for the request. */
  readonly always: (() => void) | null
  deny(): void
}

/** The element around a card where its keys also work: an agent's panel or the queue of requests. */
export const REQUEST_SCOPE = '[data-request-scope]'

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
    const scope = card.current?.closest<HTMLElement>(REQUEST_SCOPE) ?? card.current
    if (!active || !scope) return
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
    scope.addEventListener('keydown', onKeyDown)
    return () => scope.removeEventListener('keydown', onKeyDown)
  }, [card, active])
}

/** Whether the target takes text input. */
export function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
