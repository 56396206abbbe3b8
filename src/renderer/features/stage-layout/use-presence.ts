/** The panels that the pointer or the focus is in: the stage does not replace them. */
import { type RefObject, useCallback, useEffect, useState } from 'react'

export interface Presence {
  readonly inUse: () => ReadonlySet<string>
  /** Changes shortly after the user left a panel. */
  readonly moment: number
}

/** A panel stays for this time after the user left it. In ms. */
const GRACE_PERIOD = 1500

export function usePresence(stage: RefObject<HTMLElement | null>): Presence {
  const [moment, setMoment] = useState(0)
  const inUse = useCallback(() => {
    const panels = [...(stage.current?.querySelectorAll<HTMLElement>('[data-agent-panel]') ?? [])]
    return new Set(
      panels
        .filter((panel) => panel.contains(document.activeElement) || panel.matches(':hover'))
        .map((panel) => panel.dataset['agentPanel'] ?? ''),
    )
  }, [stage])
  useEffect(() => {
    const element = stage.current
    if (element === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (event: Event) => {
      if (!(event.target instanceof Element) || event.target.closest('[data-agent-panel]') === null) return
      clearTimeout(timer)
      timer = setTimeout(() => setMoment((count) => count + 1), GRACE_PERIOD)
    }
    element.addEventListener('pointerout', later)
    element.addEventListener('focusout', later)
    return () => {
      clearTimeout(timer)
      element.removeEventListener('pointerout', later)
      element.removeEventListener('focusout', later)
    }
  }, [stage])
  return { inUse, moment }
}
