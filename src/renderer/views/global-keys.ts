/** The keys of the commands, and Escape. */

import { useEffect } from 'react'
import { COMMANDS, type CommandId } from '../../shared/commands/commands.ts'
import { isLive } from '../../shared/state/agent-state.ts'
import { stopReadingHistory } from '../features/conversations/histories-store.ts'
import { stopAll } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { keysNow, useKeyBindings } from '../stores/keys-store.ts'
import { endNotices, showNotice } from '../stores/overlay-store.ts'
import { useSession } from '../stores/session-store.ts'
import { isEditable, isShortcut, isTaken, isTyping } from '../ui/platform.ts'
import { goToComposer, runCommand } from './command-actions.ts'
import { createDoublePress } from './double-press.ts'

export function useGlobalKeys(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const id = commandFor(event)
      // A part with the focus has a meaning of its own for the key.
      if (id === undefined || isTaken(event)) return
      // Also keeps the application menu from running the command a second time.
      event.preventDefault()
      if (!event.repeat) runCommand(id)
    }
    window.addEventListener('keydown', onKeyDown)
    const stopListening = listenForEscape()
    window.addEventListener('keydown', focusHoveredLine)
    return () => {
      window.removeEventListener('keydown', onKeyDown)
      stopListening()
      window.removeEventListener('keydown', focusHoveredLine)
    }
  }, [])
}

/** The command of the pressed keys. A choice of the user counts before a default with the same keys. */
function commandFor(event: KeyboardEvent): CommandId | undefined {
  const { bindings } = useKeyBindings.getState()
  const pressed = COMMANDS.filter(({ id }) => isShortcut(event, keysNow(id) ?? ''))
  return (pressed.find(({ id }) => bindings[id] !== undefined) ?? pressed[0])?.id
}

/**
 * Escape on the stage closes or leaves the innermost part that is open or focused. With nothing left to close, a
 * second press within a second stops all agents. A press that closed something is never one of the two.
 */
function listenForEscape(): () => void {
  const stopping = createDoublePress()
  let hadPopup = false
  // Before the popup closes, which may take it out of the page.
  const onCapture = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') hadPopup = isPopupOpen()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing) return
    if (isTaken(event) || hadPopup || useSession.getState().view !== 'stage' || leave(event.target))
      return stopping.reset()
    if (stopReadingHistory()) return stopping.reset()
    const { agents, readOnly } = useConversation.getState()
    const live = readOnly ? 0 : [...agents.values()].filter(isLive).length
    if (live === 0) goToComposer()
    else if (stopping.press(event.timeStamp)) {
      endNotices('escape')
      void stopAll()
    } else
      showNotice({
        level: 'info',
        about: 'escape',
        text: `Press Escape again to stop ${live === 1 ? 'the agent' : `all ${live} agents`}.`,
      })
  }
  window.addEventListener('keydown', onCapture, { capture: true })
  window.addEventListener('keydown', onKeyDown)
  return () => {
    window.removeEventListener('keydown', onCapture, { capture: true })
    window.removeEventListener('keydown', onKeyDown)
  }
}

/** Text typed while nothing has the focus goes to the message field of the panel under the pointer. */
function focusHoveredLine(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.target !== document.body || !isTyping(event)) return
  document.querySelector<HTMLElement>('[data-agent-panel]:hover [data-message-line]')?.focus()
}

/** Whether the press leaves the focused part: the composer, a field of its own, or a part outside the conversation. */
function leave(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target === document.body) return false
  if (
    target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], input') !== null
  )
    return true
  if (target.closest('main') === null) {
    goToComposer()
    return true
  }
  if (!isEditable(target)) return false
  target.blur()
  return true
}

/** Notices are dialogs by role, but Escape does not close them. */
function isPopupOpen(): boolean {
  const popups = document.querySelectorAll(
    '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]',
  )
  return [...popups].some((popup) => popup.closest('[data-notices]') === null)
}
