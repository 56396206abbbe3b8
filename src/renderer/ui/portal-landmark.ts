/**
 * What lies outside the page's landmarks while it is open. A menu and a hint are put at the end of the page, where everything
 * must be in a landmark; and the library's elements that keep the focus must not be hidden from assistive technology
 * while they can get it.
 */
import { useEffect } from 'react'

/** For the portal of a menu or a hint. */
export const landmark = (label: string) => ({ role: 'region', 'aria-label': label }) as const

/** Rendered inside what opens: its guards appear with it, or in the next frame. */
export function FocusGuards(): null {
  useEffect(() => {
    show()
    const frame = requestAnimationFrame(show)
    return () => cancelAnimationFrame(frame)
  })
  return null
}

/** A guard passes the focus on at once and says nothing. */
function show(): void {
  for (const guard of document.querySelectorAll('[data-base-ui-focus-guard][aria-hidden]'))
    guard.removeAttribute('aria-hidden')
}
