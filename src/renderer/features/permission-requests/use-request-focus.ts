/** Moves the focus to a new permission request, unless the user is typing or answering another one. */
import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { PendingRequest } from '../../../shared/agent-state.ts'
import { isEditable, REQUEST_SCOPE } from './use-request-keys.ts'

/** Requests shown before: a card that only moves to another panel takes no focus. */
const seen = new WeakSet<PendingRequest>()

/**
 * A focused text field or another request's card keeps the focus: a key typed there must never answer this
 * request.
 */
export function useRequestFocus(card: RefObject<HTMLElement | null>, request: PendingRequest): void {
  useEffect(() => {
    const isNew = !seen.has(request)
    seen.add(request)
    const focused = document.activeElement
    const dialog = card.current?.closest('[role="dialog"]')
    // The queue dialog exists to answer requests, so only a text field inside it keeps the focus.
    const busy = dialog
      ? dialog.contains(focused) && isEditable(focused)
      : isEditable(focused) || focused?.closest('[data-request], [role="dialog"], [role="menu"]')
    if (busy || !(isNew || dialog)) return
    card.current?.focus({ preventScroll: true })
  }, [card, request])
  // An answered card unmounts; the focus returns to its panel or dialog.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement))
        element.closest<HTMLElement>(REQUEST_SCOPE)?.focus({ preventScroll: true })
    }
  }, [card])
}
