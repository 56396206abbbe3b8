/** Moves the focus to a question that comes up, unless the person is busy with something else. */
import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { PendingPrompt } from '../../../shared/agent-state.ts'
import { isEditable, PROMPT_SCOPE } from './use-prompt-keys.ts'

/** Questions that came up before: a card that is only drawn in another place takes no focus. */
const seen = new WeakSet<PendingPrompt>()

/**
 * Who writes, or answers another question, keeps the focus: a letter that was meant for a text field must
 * never answer a question.
 */
export function usePromptFocus(card: RefObject<HTMLElement | null>, prompt: PendingPrompt): void {
  useEffect(() => {
    const isNew = !seen.has(prompt)
    seen.add(prompt)
    const focused = document.activeElement
    const dialog = card.current?.closest('[role="dialog"]')
    // In the list of all questions the person is there to answer; only words they write in it hold the focus.
    const busy = dialog
      ? dialog.contains(focused) && isEditable(focused)
      : isEditable(focused) || focused?.closest('[data-prompt], [role="dialog"], [role="menu"]')
    if (busy || !(isNew || dialog)) return
    card.current?.focus({ preventScroll: true })
  }, [card, prompt])
  // The card goes once it is answered; the focus stays in its panel, where it was.
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement))
        element.closest<HTMLElement>(PROMPT_SCOPE)?.focus({ preventScroll: true })
    }
  }, [card])
}
