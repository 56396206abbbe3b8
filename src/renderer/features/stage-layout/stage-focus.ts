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

/** Moves the focus to the panel of an agent as soon as it is there. */
export function useFocusGiver(stage: { readonly current: HTMLElement | null }): (agentId: string) => void {
  const wanted = useRef<string | null>(null)
  const [, setAsked] = useState(0)
  useEffect(() => {
    if (wanted.current === null) return
    const panel = stage.current?.querySelector<HTMLElement>(
      `[data-agent-panel="${CSS.escape(wanted.current)}"]`,
    )
    if (!panel) return
    wanted.current = null
    panel.focus({ preventScroll: true })
  })
  return useCallback((agentId: string) => {
    wanted.current = agentId
    setAsked((count) => count + 1)
  }, [])
}

/** Does what the tree, a card or a list of questions asks for: shows a panel, or the question in it. */
export function useReveals(
  agentIds: readonly string[],
  open: (agentId: string) => void,
  stage: { readonly current: HTMLElement | null },
): void {
  const reveal = useStage((state) => state.reveal)
  useEffect(() => {
    if (reveal === null || !agentIds.includes(reveal.agentId)) return
    revealDone(reveal)
    open(reveal.agentId)
    if (reveal.kind === 'agent') return
    const wanted =
      reveal.kind === 'prompt'
        ? `[data-prompt="${CSS.escape(reveal.promptId)}"]`
        : `[data-agent-panel="${CSS.escape(reveal.agentId)}"] [data-message-line]`
    // The panel comes first; what is in it then takes the focus from it.
    requestAnimationFrame(() => stage.current?.querySelector<HTMLElement>(wanted)?.focus())
  }, [reveal, agentIds, open, stage])
}
