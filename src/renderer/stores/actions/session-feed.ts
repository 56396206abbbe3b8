/** Starts the session and applies the main process's deltas to it. */
import type { AgentRef } from '../../../shared/commands/agent-page.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { StartInfo } from '../../../shared/window/contract.ts'
import { command } from '../../bridge.ts'
import { takeConversation, takeConversations } from '../conversation-list.ts'
import { showConversation } from '../conversation-store.ts'
import { loadDefinitions, takeFolder } from '../folder-facts.ts'
import { endNotices, showFailure, showNotice } from '../notice-store.ts'
import { useSession } from '../session-store.ts'
import { conversationGone, switchConversation } from '../shown-conversation.ts'
import { enterFolder } from './folder-actions.ts'

const { getState: get, setState: set } = useSession

/**
 * Loads the data for the first frame. The window does not wait for the list of conversations, which may take longer.
 */
export async function startSession(): Promise<void> {
  set(useSession.getInitialState(), true)
  const listing = command('conversation.list', {})
  const start = await begin()
  if (start === null) return
  const { folder } = start
  const entered = folder === null ? undefined : enterFolder(folder)
  const list = await listing
  if (list.ok) takeList(list.value)
  else {
    set({ listed: true })
    showFailure(list.failure)
  }
  await entered
}

/** Starts the session of a page that shows one agent. The last conversation of the folder stays as it is. */
export async function startAgentSession({ conversationId }: AgentRef): Promise<void> {
  const start = await begin()
  if (start === null) return
  const { folder } = start
  set({ folder, conversationId, listed: true })
  reloadDefinitions()
  await showConversation(conversationId)
}

/** Null: the start failed, and the session says why. */
async function begin(): Promise<StartInfo | null> {
  const start = await command('start', {})
  if (!start.ok) {
    set({ phase: 'failed', failure: start.failure.message })
    return null
  }
  const { settings, access, version, platform, dataFolder, electron, coordinatorMode } = start.value
  const info = { version, platform, dataFolder, electron, coordinatorMode }
  set({ phase: 'ready', info, settings, access })
  return start.value
}

/** Applies a batch's deltas of the session with one store update. */
export function receiveSession(deltas: readonly WindowDelta[]): void {
  for (const delta of deltas) {
    switch (delta.type) {
      case 'settings':
        set({ settings: delta.settings })
        break
      case 'access':
        set({ access: delta.access })
        break
      case 'folder':
        if (delta.opened) void enterFolder(delta.folder, delta.conversationId)
        else takeFolder(delta.folder)
        break
      case 'conversation':
        takeConversation(delta.summary)
        break
      case 'conversation-gone':
        conversationGone(delta.conversationId)
        break
      case 'definitions':
        if (get().folder?.path === delta.folder) void loadDefinitions(delta.folder)
        break
      case 'status-line':
        set({ statusLine: { text: delta.text, problem: delta.problem } })
        break
      case 'problem':
        showNotice({ level: 'error', text: delta.message })
        break
      case 'settings-problems':
        endNotices('settings')
        for (const text of delta.messages) showNotice({ level: 'error', text, about: 'settings' })
        break
      case 'event':
        // A command changed a file that agents are told from.
        if (delta.event.type === 'notice' && delta.event.path !== undefined) reloadDefinitions()
        break
      case 'live':
      case 'live-line':
      case 'conversation-event':
      case 'menu':
      case 'write-failure':
      case 'review':
      case 'workers':
      case 'agent-windows':
      case 'mcp':
      case 'programs':
        break
    }
  }
}

function reloadDefinitions(): void {
  const { folder } = get()
  if (folder !== null) void loadDefinitions(folder.path)
}

function takeList(list: readonly ConversationSummary[]): void {
  takeConversations(list)
  const { conversationId, conversations, scratch } = get()
  if (scratch === null && conversationId !== null && !conversations.some(({ id }) => id === conversationId))
    void switchConversation(null)
}
