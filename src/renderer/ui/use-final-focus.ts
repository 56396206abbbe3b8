import { useRef } from 'react'

/**
 * Where the focus goes when something that lay over the window closes: it stays where it was moved meanwhile;
 * else back to where it was, or, if that is gone, to the first visible element marked with `data-focus-home`, then to an agent's panel.
 */
export function useFinalFocus(open: boolean): () => HTMLElement | true {
  const before = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current) before.current = document.activeElement
  wasOpen.current = open
  return () => {
    const now = document.activeElement
    // What was chosen in it has moved the focus already.
    if (now instanceof HTMLElement && now !== document.body && now.closest('[role="dialog"]') === null)
      return now
    const { current } = before
    if (current instanceof HTMLElement && current !== document.body && isThere(current)) return current
    return (
      [...document.querySelectorAll<HTMLElement>('[data-focus-home], [data-agent-panel]')].find(isThere) ??
      true
    )
  }
}

function isThere(element: HTMLElement): boolean {
  return element.isConnected && (element.checkVisibility?.() ?? true)
}
