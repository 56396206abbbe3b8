/** What the native menu asks of the window. */
import type { MenuCommand } from '../../shared/ipc-contract.ts'
import { stopAgent, stopAll } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { pickFolder } from '../stores/folder-actions.ts'
import { showOverlay } from '../stores/overlay-store.ts'
import { setPlace } from '../stores/session-store.ts'
import { newConversation, toggleTheme } from './app-commands.ts'

export function openFromMenu(command: MenuCommand): void {
  ACTIONS[command]()
}

const ACTIONS: Readonly<Record<MenuCommand, () => void>> = {
  'new-conversation': newConversation,
  'open-folder': () => void pickFolder(),
  settings: () => setPlace('settings'),
  stage: () => setPlace('stage'),
  agents: () => setPlace('agents'),
  review: () => setPlace('review'),
  palette: () => showOverlay('palette'),
  'toggle-theme': toggleTheme,
  stop: stopMain,
  'stop-all': () => void stopAll(),
}

function stopMain(): void {
  const mainAgentId = useConversation.getState().record?.mainAgentId
  if (mainAgentId !== undefined) void stopAgent(mainAgentId)
}
