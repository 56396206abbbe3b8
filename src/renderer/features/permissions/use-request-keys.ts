/** The keys that answer a request while its card has the focus, and nowhere else. */
import { type RefObject, useEffect, useRef } from 'react'
import { isEditable } from '../../ui/platform.ts'
import { GRACE_MS } from './use-answer.ts'

interface RequestActions {
  once(): void
  /** Null when no rule can be saved for the request. */
  readonly always: (() => void) | null
  deny(): void
  /** Shows or hides the details of the reason. */
  why(): void
  /** Chooses an offered rule, counted from 0. */
  choose(index: number): void
}

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
      const { target, shiftKey } = event
      if (isEditable(target) && !isChoice(target)) return
      // A focused button acts itself.
      if (event.key === 'Enter' && target instanceof Element && target.closest('button, summary')) return
      const isEarly = performance.now() - since.current < GRACE_MS
      const key = event.key.toLowerCase()
      const { once, always, deny, why, choose } = latest.current
      // These answer nothing, so they need no grace.
      if (key === 'w' && !shiftKey) why()
      else if (/^[1-9]$/.test(key)) choose(Number(key) - 1)
      else if (isEarly) return
      else if (key === 'a' && shiftKey) always?.()
      else if (key === 'a' || event.key === 'Enter') once()
      else if (key === 'd' && !shiftKey) deny()
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [card, active])
}

/** A tick or a radio button, in which no text is typed. */
export function isChoice(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio')
}
