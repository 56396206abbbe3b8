/**
 * The focus of a permission request or a form. A new request takes the focus only in the queue, which the user opened to answer:
 * elsewhere the user may be about to type, and a letter would answer the request.
 */
import { type RefObject, useEffect, useLayoutEffect } from 'react'
import { isEditable } from './platform.ts'

/** The element around a card that gets the focus after the answer: an agent's panel, or the queue of requests. */
const REQUEST_SCOPE = '[data-request-scope]'

export function useRequestFocus(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const focused = document.activeElement
    const dialog = card.current?.closest('[role="dialog"]')
    if (!dialog || (dialog.contains(focused) && isEditable(focused))) return
    card.current?.focus({ preventScroll: true })
  }, [card])
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement))
        element.closest<HTMLElement>(REQUEST_SCOPE)?.focus({ preventScroll: true })
    }
  }, [card])
}
