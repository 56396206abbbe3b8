/** The focus on the stage: which panel has it, where it goes, and what others ask to be shown. */
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import { revealDone, useStage } from '../../stores/stage-store.ts'
import { neighbour } from './geometry.ts'

/** The agent in whose panel something lies. */
export function panelOf(target: EventTarget | null): string | null {
  if (!(target instanceof Element)) return null
  return target.closest<HTMLElement>('[data-agent-panel]')?.dataset['agentPanel'] ?? null
}

/** The agent whose panel has the focus. */
export function panelWithFocus(stage: HTMLElement | null): string | null {
  return stage?.contains(document.activeElement) ? panelOf(document.activeElement) : null
}

/** Arrow keys on a panel go to the one beside it. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, currentTarget } = event
  if (key !== 'ArrowLeft' && key !== 'ArrowRight' && key !== 'ArrowUp' && key !== 'ArrowDown') return
  if (!(target instanceof HTMLElement) || target.dataset['agentPanel'] === undefined) return
  const panels = [...currentTarget.querySelectorAll<HTMLElement>('[data-agent-panel]')]
  const boxes = panels
    .filter((panel) => panel !== target)
    .map((panel) => ({ id: panel.dataset['agentPanel'] ?? '', box: panel.getBoundingClientRect() }))
  const next = neighbour(target.getBoundingClientRect(), boxes, key)
  if (next === null) return
  event.preventDefault()
  panels.find((panel) => panel.dataset['agentPanel'] === next)?.focus()
}

/** Something in a panel that takes the focus in its place. */
type FocusGiver = (agentId: string, inside?: string) => void

/** Moves the focus to the panel of an agent, or into it, as soon as it is there. */
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

/** Does what the tree, a card or a list of questions asks for: shows a panel, or the question in it. */
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
    if (reveal.kind === 'prompt')
      // The panel comes first; its question then takes the focus from it.
      requestAnimationFrame(() =>
        stage.current?.querySelector<HTMLElement>(`[data-prompt="${CSS.escape(reveal.promptId)}"]`)?.focus(),
      )
  }, [reveal, agentIds, open, stage])
}
