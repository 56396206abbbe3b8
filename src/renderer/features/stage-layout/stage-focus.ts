/** The focus on the stage: the focused panel, moving the focus, and reveals that other parts request. */
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { revealDone, useStage } from '../../stores/stage-store.ts'
import { neighborPanel } from './geometry.ts'

/** The agent of the panel that contains an element. */
export function panelOf(target: EventTarget | null): string | null {
  if (!(target instanceof Element)) return null
  return target.closest<HTMLElement>('[data-agent-panel]')?.dataset['agentPanel'] ?? null
}

/** The agent of the focused panel. */
export function panelWithFocus(stage: HTMLElement | null): string | null {
  return stage?.contains(document.activeElement) ? panelOf(document.activeElement) : null
}

/** Arrow keys on a panel move the focus to the neighboring panel. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event
  if (key !== 'ArrowLeft' && key !== 'ArrowRight' && key !== 'ArrowUp' && key !== 'ArrowDown') return
  if (!(target instanceof HTMLElement) || target.dataset['agentPanel'] === undefined) return
  const panels = [...currentTarget.querySelectorAll<HTMLElement>('[data-agent-panel]')]
  const boxes = panels
    .filter((panel) => panel !== target)
    .map((panel) => ({ id: panel.dataset['agentPanel'] ?? '', box: panel.getBoundingClientRect() }))
  const next = neighborPanel(target.getBoundingClientRect(), boxes, key)
  if (next === null) return
  event.preventDefault()
  panels.find((panel) => panel.dataset['agentPanel'] === next)?.focus()
}

/** `inside` selects the element in the panel that gets the focus. */
type FocusGiver = (agentId: string, inside?: string) => void

/** Moves the focus to the panel of an agent, or into the panel, once it is rendered. */
export function useFocusGiver(stage: { readonly current: HTMLElement | null }): FocusGiver {
  const wanted = useRef<{ readonly agentId: string; readonly inside: string | undefined } | null>(null)
  const [, setAsked] = useState(0)
  useEffect(() => {
    if (wanted.current === null) return
    const { agentId, inside } = wanted.current
    const panel = stage.current?.querySelector<HTMLElement>(`[data-agent-panel="${CSS.escape(agentId)}"]`)
    if (!panel) return
    wanted.current = null
    const target = inside === undefined ? null : panel.querySelector<HTMLElement>(inside)
    ;(target ?? panel).focus({ preventScroll: true })
  })
  return useCallback((agentId, inside) => {
    wanted.current = { agentId, inside }
    setAsked((count) => count + 1)
  }, [])
}

/** Carries out a reveal that the tree, a card or the request queue asked for: opens a panel or focuses a request. */
export function useReveals(
  agentIds: readonly string[],
  open: (agentId: string, inside?: string) => void,
  stage: { readonly current: HTMLElement | null },
): void {
  const reveal = useStage((state) => state.reveal)
  useEffect(() => {
    if (reveal === null || !agentIds.includes(reveal.agentId)) return
    revealDone(reveal)
    open(reveal.agentId, reveal.kind === 'line' ? '[data-message-line]' : undefined)
    if (reveal.kind === 'request')
      // The panel gets the focus first, then the request inside.
      requestAnimationFrame(() =>
        stage.current
          ?.querySelector<HTMLElement>(`[data-request="${CSS.escape(reveal.requestId)}"]`)
          ?.focus(),
      )
  }, [reveal, agentIds, open, stage])
}
