/** Knows which panel the pointer and the focus are in: those are not taken away under the person's hand. */
import { type RefObject, useCallback, useEffect, useState } from 'react'

export interface Presence {
  readonly inUse: () => ReadonlySet<string>
  /** Changes a little after a panel was left. */
  readonly moment: number
}

/** Whoever leaves a panel for a moment finds it again. In ms. */
const PATIENCE = 1500

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
      timer = setTimeout(() => setMoment((count) => count + 1), PATIENCE)
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
