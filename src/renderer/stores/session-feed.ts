/** Starts the session and applies the main process's deltas to it. */

import { create } from 'zustand'
import type { AgentRef } from '../../shared/commands/agent-page.ts'
import type { View } from '../../shared/commands/views.ts'
import type { Answer } from '../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import type { FolderInfo, StartInfo } from '../../shared/window/contract.ts'
import { command } from '../bridge.ts'
import { showConversation } from './conversation-store.ts'
import { loadKeys, takeKeys } from './keys-store.ts'
import { endNotices, showFailure, showNotice } from './overlay-store.ts'
import { followRequests, loadRequests } from './requests-store.ts'
import { loadDefinitions, type SessionState, setViewFrom, takeFolder, useSession } from './session-store.ts'
import {
  conversationGone,
  openConversation,
  remembered,
  switchConversation,
  takeConversation,
  takeConversations,
} from './shown-conversation.ts'

// Opens folders and sets their trust.

const { getState: get, setState: set } = useSession

/**
 * Loads the data for the first frame. The window does not wait for the list of conversations, which may take longer.
 */
export async function startSession(): Promise<void> {
  set(useSession.getInitialState(), true)
  const start = await begin()
  if (start === null) return
  const { folder } = start
  set(sessionOf(start))
  const entered = folder === null ? undefined : enterFolder(folder)
  const listing = command('conversation.list', {})
  void loadRequests()
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
  set({ ...sessionOf(start), conversationId, listed: true })
  reloadDefinitions()
  await showConversation(conversationId)
}

/** Null: the start failed, and the session says why. */
async function begin(): Promise<StartInfo | null> {
  void loadKeys()
  const start = await command('start', {})
  if (!start.ok) {
    set({ phase: 'failed', failure: start.failure.message })
    return null
  }
  return start.value
}

function sessionOf({
  settings,
  access,
  version,
  platform,
  dataFolder,
  electron,
  coordinatorMode,
  folder,
}: StartInfo): Pick<SessionState, 'phase' | 'info' | 'settings' | 'access' | 'folder'> {
  const info = { version, platform, dataFolder, electron, coordinatorMode }
  return { phase: 'ready', info, settings, access, folder }
}

/** Applies a batch's deltas of the session with one store update. */
export function receiveSession(deltas: readonly WindowDelta[]): void {
  followRequests(deltas)
  for (const delta of deltas) {
    switch (delta.type) {
      case 'settings':
        set({ settings: delta.settings })
        break
      case 'keys':
        takeKeys(delta.keys)
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
      case 'environments':
      case 'agent-tests':
      case 'agent-tests-progress':
      case 'preview':
      case 'programs':
      case 'tutorial':
      case 'update':
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

/** Where a folder opens: in this window, or in another one. A folder that another window has is shown there. */
type OpenIn = 'here' | 'new-window'

/** Lets the user choose a folder with the system's dialog. True if this window shows it. */
export async function pickFolder(where: OpenIn = 'here'): Promise<boolean> {
  const { view } = get()
  return entered(await command('folder.pick', { newWindow: where === 'new-window' }), view)
}

/** True if this window shows the folder. */
export async function openFolder(path: string, where: OpenIn = 'here'): Promise<boolean> {
  const { view } = get()
  return entered(await command('folder.open', { path, newWindow: where === 'new-window' }), view)
}

/** Copies the bundled sample project and opens it. */
export async function openSample(): Promise<boolean> {
  const { view } = get()
  return entered(await command('folder.sample', {}), view)
}

/** Shows a conversation in its folder, also one that this window has not heard of yet. True if this window shows it. */
export async function openFolderAt(path: string, conversationId: string): Promise<boolean> {
  const answer = await command('folder.open', { path, conversationId })
  if (!answer.ok) showFailure(answer.failure)
  if (!answer.ok || answer.value === null) return false
  await enterFolder(answer.value, conversationId)
  return true
}

export async function trustFolder(path: string, trusted: boolean): Promise<void> {
  const answer = await command('folder.trust', { path, trusted })
  if (!answer.ok) return showFailure(answer.failure)
  const { folder } = get()
  if (folder?.path !== answer.value.path) return
  // What git says of it follows.
  const { trusted: isTrusted } = answer.value
  set({ folder: { ...folder, trusted: isTrusted, bypassAllowed: isTrusted && folder.bypassAllowed } })
  await loadDefinitions(folder.path)
}

export async function allowBypass(path: string, allowed: boolean): Promise<void> {
  const answer = await command('folder.bypass', { path, allowed })
  if (answer.ok) takeFolder(answer.value)
  else showFailure(answer.failure)
}

/**
 * Switches to a folder: loads its agents and shows a conversation, without one the folder's last.
 *
 * @param from the view that the user was in when they asked; a view chosen since then stays
 */
async function enterFolder(
  folder: FolderInfo,
  conversationId?: string,
  from: View = get().view,
): Promise<void> {
  set({ folder, definitions: [], definitionProblems: [], waitingTexts: 0 })
  void loadDefinitions(folder.path)
  if (conversationId !== undefined) return openConversation(conversationId, from)
  const last = remembered(folder.path)
  const { listed, conversations } = get()
  // Until the list has loaded, the last conversation is assumed to exist; the list corrects a wrong assumption.
  const known = !listed || conversations.some(({ id, folder: other }) => id === last && other === folder.path)
  // These views stay: a user who edits agents continues with the agents of the other folder.
  if (from !== 'agents' && from !== 'review') setViewFrom(from, 'stage')
  await switchConversation(known ? last : null)
}

function entered(answer: Answer<FolderInfo | null>, from: View): boolean {
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  if (answer.value === null) return false
  void enterFolder(answer.value, undefined, from)
  return true
}

/**
 * The untrusted folders that the user was asked about, so that "Read only" is an answer and the question is not
 * repeated.
 */
interface TrustState {
  /** The folder whose question the user requested again. */
  readonly asking: string | null
  readonly answered: ReadonlySet<string>
}

const STORAGE = 'trust-answered'

export const useTrust = create<TrustState>()(() => ({ asking: null, answered: new Set(read()) }))

/** Whether the question must be asked before anything else. */
export function mustAsk(
  { asking, answered }: TrustState,
  folder: { path: string; trusted: boolean },
): boolean {
  return asking === folder.path || (!folder.trusted && !answered.has(folder.path))
}

export function askAboutTrust(path: string): void {
  useTrust.setState({ asking: path })
}

/** Records that the question was answered, either way. */
export function trustAnswered(path: string): void {
  // Another window may have saved an answer meanwhile.
  const answered = new Set([...read(), ...useTrust.getState().answered, path])
  useTrust.setState({ asking: null, answered })
  localStorage.setItem(STORAGE, JSON.stringify([...answered]))
}

function read(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE) ?? '[]')
    return Array.isArray(kept) ? kept.filter((path): path is string => typeof path === 'string') : []
  } catch {
    return []
  }
}
