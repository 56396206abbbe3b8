/** A, Shift A and D for the question that is shown, while its card or the panel around it has the focus. */
import { type RefObject, useEffect, useRef } from 'react'

export interface PromptActions {
  once(): void
  /** Null where it is not offered. */
  readonly always: (() => void) | null
  deny(): void
}

/** The element around a card in which its keys work too: an agent's panel, the list of all questions. */
export const PROMPT_SCOPE = '[data-prompt-scope]'

/**
 * So long after a question came up its keys do nothing: who pressed one then meant something else. In ms.
 */
const GRACE = 400

export function usePromptKeys(
  card: RefObject<HTMLElement | null>,
  active: boolean,
  actions: PromptActions,
): void {
  const latest = useRef(actions)
  latest.current = actions
  const since = useRef(0)
  useEffect(() => {
    since.current = performance.now()
  }, [])
  useEffect(() => {
    const scope = card.current?.closest<HTMLElement>(PROMPT_SCOPE) ?? card.current
    if (!active || !scope) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
      if (isEditable(event.target) || performance.now() - since.current < GRACE) return
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

/** Whether keys pressed there write text. */
export function isEditable(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}
