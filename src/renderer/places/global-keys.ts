/** Keys that work everywhere in the window. */
import { useEffect } from 'react'
import { type KeybindingsMap, tinykeys } from 'tinykeys'
import { isLive } from '../../shared/agent-state.ts'
import { continueAll, pauseAll } from '../stores/agent-actions.ts'
import { stopAgent, stopAll } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { pickFolder } from '../stores/folder-actions.ts'
import { showNotice } from '../stores/notice-store.ts'
import { showOverlay } from '../stores/overlay-store.ts'
import { setPlace, useSession } from '../stores/session-store.ts'
import { goToComposer, newConversation, resetText, resizeText } from './app-commands.ts'

/** Two presses of Escape within this time, in ms, stop all agents. */
const TWICE = 1500

export function useGlobalKeys(): void {
  useEffect(() => {
    const stopOnEscape = createEscape()
    const keys: Record<string, () => void> = {
      '$mod+k': () => showOverlay('palette'),
      '$mod+n': newConversation,
      '$mod+o': () => void pickFolder(),
      '$mod+,': () => setPlace('settings'),
      '$mod+1': () => setPlace('stage'),
      '$mod+2': () => setPlace('agents'),
      '$mod+4': () => setPlace('review'),
      '$mod+l': goToComposer,
      '$mod+Shift+p': () => showOverlay('prompts'),
      '$mod+Period': () => void pauseAll(),
      '$mod+Shift+Period': () => void continueAll(),
      '$mod+[Shift]+(=|\\+)': () => resizeText(10),
      '$mod+-': () => resizeText(-10),
      '$mod+0': resetText,
    }
    const bindings: KeybindingsMap = Object.fromEntries(
      Object.entries(keys).map(([binding, run]) => [
        binding,
        (event: KeyboardEvent) => {
          // Also keeps the native menu from doing it a second time.
          event.preventDefault()
          if (!event.repeat) run()
        },
      ]),
    )
    const unbind = tinykeys(window, bindings, { ignore: () => false })
    window.addEventListener('keydown', stopOnEscape)
    return () => {
      unbind()
      window.removeEventListener('keydown', stopOnEscape)
    }
  }, [])
}

/**
 * Escape that nothing else has taken, where one speaks with the main agent: once stops it, twice all of them.
 * From a panel, the tree or a list it leads back there, and stops nothing.
 */
function createEscape(): (event: KeyboardEvent) => void {
  let last = Number.NEGATIVE_INFINITY
  return (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.repeat || event.isComposing) return
    if (useSession.getState().place !== 'stage' || isElsewhere(event.target)) return
    if (isBeside(event.target)) return goToComposer()
    const { agents, record } = useConversation.getState()
    const live = [...agents.values()].filter(isLive)
    const again = event.timeStamp - last < TWICE
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

/** Whether something beside the conversation has the focus. */
function isBeside(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target !== document.body && target.closest('main') === null
}

/** In dialogs, menus and other text fields Escape has its own meaning. */
function isElsewhere(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.closest('[role="dialog"], [role="menu"], [role="listbox"], input') !== null
}
