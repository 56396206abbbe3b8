/** The keys of the commands, and Escape. */
import { useEffect } from 'react'
import { type KeybindingsMap, tinykeys } from 'tinykeys'
import { isLive } from '../../shared/agent-state.ts'
import { COMMANDS } from '../../shared/commands.ts'
import { stopAgent, stopAll } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { showNotice } from '../stores/notice-store.ts'
import { useSession } from '../stores/session-store.ts'
import { goToComposer, runCommand } from './command-actions.ts'

/** Two presses of Escape within this time stop all agents. In ms. */
const DOUBLE_PRESS = 1500

export function useGlobalKeys(): void {
  useEffect(() => {
    const stopOnEscape = createEscape()
    const bindings: KeybindingsMap = {}
    for (const { id, keys } of COMMANDS)
      if (keys !== undefined)
        bindings[bindingOf(keys)] = (event) => {
          // Also keeps the application menu from running the command a second time.
          event.preventDefault()
          if (!event.repeat) runCommand(id)
        }
    const unbind = tinykeys(window, bindings, { ignore: () => false })
    window.addEventListener('keydown', stopOnEscape)
    return () => {
      unbind()
      window.removeEventListener('keydown', stopOnEscape)
    }
  }, [])
}

/** "Mod Shift ." in the notation of the library. Shift changes the character of a key, but not its code. */
function bindingOf(keys: string): string {
  return keys
    .split(' ')
    .map((key) => BINDINGS[key] ?? key.toLowerCase())
    .join('+')
}

const BINDINGS: Readonly<Record<string, string>> = {
  Mod: '$mod',
  Shift: 'Shift',
  '.': 'Period',
  // Most keyboards have the plus sign above the equals sign.
  '+': '[Shift]+(=|\\+)',
}

/**
 * An Escape that nothing else handled. In the conversation the first press stops the main agent and a second
 * one stops all agents. Elsewhere on the stage Escape only moves the focus to the conversation.
 */
function createEscape(): (event: KeyboardEvent) => void {
  let last = Number.NEGATIVE_INFINITY
  return (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.repeat || event.isComposing) return
    if (useSession.getState().view !== 'stage' || handlesEscape(event.target)) return
    if (isOutsideConversation(event.target)) return goToComposer()
    const { agents, record } = useConversation.getState()
    const live = [...agents.values()].filter(isLive)
    const again = event.timeStamp - last < DOUBLE_PRESS
    last = again ? Number.NEGATIVE_INFINITY : event.timeStamp
    if (live.length === 0) return goToComposer()
    if (again) return void stopAll()
    const main = live.find((agent) => agent.id === record?.mainAgentId)
    if (main !== undefined) void stopAgent(main.id)
    else
      showNotice({
        level: 'info',
        text:
          live.length === 1
            ? 'Press Escape again to stop the agent.'
            : `Press Escape again to stop all ${live.length} agents.`,
      })
  }
}

/** Whether the focus is outside the conversation. */
function isOutsideConversation(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target !== document.body && target.closest('main') === null
}

/** Dialogs, menus and other text fields handle Escape themselves. */
function handlesEscape(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.closest('[role="dialog"], [role="menu"], [role="listbox"], input') !== null
}
