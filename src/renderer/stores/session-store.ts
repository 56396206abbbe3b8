/**
 * What the window knows beside the conversation on the screen: settings, access, the folder, the list of
 * conversations, and where the person is. The actions call commands; a failure comes back as words.
 */
import { create } from 'zustand'
import type {
  AccessInfo,
  Answer,
  CommandInput,
  ConversationSummary,
  DefinitionInfo,
  FolderInfo,
  StartInfo,
  WindowDelta,
} from '../../shared/ipc-contract.ts'
import type { Settings, SettingsPatch } from '../../shared/settings.ts'
import { command } from '../bridge.ts'
import { showConversation, useConversation } from './conversation-store.ts'
import { showFailure, showNotice } from './notice-store.ts'
import { useStage } from './stage-store.ts'

export type Place = 'stage' | 'agents' | 'settings'

/** The mode and model that the next new conversation starts with, where they differ from the settings. */
export type Draft = Partial<Pick<Settings, 'model' | 'permissionMode'>>

export interface SessionState {
  readonly phase: 'starting' | 'ready' | 'failed'
  readonly failure: string | null
  readonly info: Pick<StartInfo, 'version' | 'platform' | 'dataFolder' | 'electron'>
  readonly settings: Settings
  readonly access: AccessInfo
  readonly folder: FolderInfo | null
  /** The agents that can be started in this folder. */
  readonly definitions: readonly DefinitionInfo[]
  readonly definitionProblems: readonly { readonly file: string; readonly message: string }[]
  /** Whether the list of conversations is there. */
  readonly listed: boolean
  /** Of all folders, the one that was used last first. */
  readonly conversations: readonly ConversationSummary[]
  readonly conversationId: string | null
  /** A conversation that only tries a definition out and is on the screen for a while; `back`: the stage's own. */
  readonly scratch: { readonly conversationId: string; readonly back: string | null } | null
  readonly draft: Draft
  /** What the user's own command says at the bottom of the window, or why it says nothing. */
  readonly statusLine: { readonly text: string | null; readonly problem: string | null }
  readonly place: Place
}

/** What holds for the moment until the settings are there. Not from their schema, which the window does not need. */
const BEFORE_START: Settings = {
  theme: 'system',
  textSize: 100,
  model: '',
  permissionMode: 'default',
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 1,
  forkSubagents: false,
  agentTokens: null,
  agentUsd: null,
  agentMinutes: null,
  backgroundMinutes: null,
  agentSpawns: null,
  conversationTokens: null,
  conversationUsd: null,
  conversationMinutes: null,
  whenClosed: 'ask',
  access: { kind: 'none' },
  baseUrl: '',
  modelAliases: {},
  recentFolders: [],
  trustedFolders: [],
  bypassFolders: [],
  stageLayout: 'grid',
  editor: 'auto',
  plugins: [],
  statusLine: null,
}

const INITIAL: SessionState = {
  phase: 'starting',
  failure: null,
  info: { version: '', platform: '', dataFolder: '', electron: '' },
  settings: BEFORE_START,
  access: { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' },
  folder: null,
  definitions: [],
  definitionProblems: [],
  listed: false,
  conversations: [],
  conversationId: null,
  scratch: null,
  draft: {},
  statusLine: { text: null, problem: null },
  place: 'stage',
}

export const useSession = create<SessionState>()(() => INITIAL)

const { getState: get, setState: set } = useSession

/**
 * Asks the main process for what the window needs to begin. The list of conversations may take longer: the
 * window does not wait for it to be written in.
 */
export async function startSession(): Promise<void> {
  set({ ...INITIAL }, true)
  const listing = command('conversation.list', {})
  const start = await command('start', {})
  if (!start.ok) {
    set({ phase: 'failed', failure: start.failure.message })
    return
  }
  const { settings, access, folder, version, platform, dataFolder, electron } = start.value
  set({ phase: 'ready', info: { version, platform, dataFolder, electron }, settings, access })
  const entered = folder === null ? undefined : enterFolder(folder)
  const list = await listing
  if (list.ok) takeList(list.value)
  else {
    set({ listed: true })
    showFailure(list.failure)
  }
  await entered
}

export function setPlace(place: Place): void {
  set({ place })
}

// Folders

/** Lets the person choose a folder with the system's dialog. True if one was opened. */
export async function pickFolder(): Promise<boolean> {
  return entered(await command('folder.pick', {}))
}

export async function openFolder(path: string): Promise<boolean> {
  return entered(await command('folder.open', { path }))
}

/** Copies the bundled sample project and opens it. */
export async function openSample(): Promise<boolean> {
  return entered(await command('folder.sample', {}))
}

export async function trustFolder(path: string, trusted: boolean): Promise<void> {
  const answer = await command('folder.trust', { path, trusted })
  if (!answer.ok) return showFailure(answer.failure)
  takeFolder(answer.value)
  if (get().folder?.path === path) await loadDefinitions(path)
}

export async function allowBypass(path: string, allowed: boolean): Promise<void> {
  const answer = await command('folder.bypass', { path, allowed })
  if (answer.ok) takeFolder(answer.value)
  else showFailure(answer.failure)
}

// Conversations

/** Shows a conversation on the stage; its folder is opened with it. Null: a new one in this folder. */
export async function openConversation(conversationId: string | null): Promise<void> {
  set({ conversationId, scratch: null, place: 'stage', draft: {} })
  useStage.setState({ selectedAgentId: null, reveal: null })
  const { folder, conversations } = get()
  const wanted = conversations.find((summary) => summary.id === conversationId)?.folder
  if (wanted !== undefined && wanted !== folder?.path) {
    const answer = await command('folder.open', { path: wanted })
    if (get().conversationId !== conversationId) return
    if (answer.ok) {
      set({ folder: answer.value })
      void loadDefinitions(answer.value.path)
    } else showFailure(answer.failure)
  }
  remember(get().folder?.path, conversationId)
  await showConversation(conversationId)
}

/** Puts a scratch conversation on the screen. The stage gets its own one back with `leaveScratch`. */
export async function showScratch(conversationId: string): Promise<void> {
  const { scratch, conversationId: shown } = get()
  set({ conversationId, scratch: { conversationId, back: scratch === null ? shown : scratch.back } })
  await showConversation(conversationId)
}

/** Nothing where the stage has its own conversation already. */
export async function leaveScratch(): Promise<void> {
  const { scratch } = get()
  if (scratch === null) return
  set({ conversationId: scratch.back, scratch: null })
  await showConversation(scratch.back)
}

/**
 * Says something in the conversation on the screen, which is created first where there is none.
 * Fails with words; nothing is lost then: the composer keeps its text.
 */
export async function send(
  message: Omit<CommandInput<'conversation.send'>, 'conversationId'>,
): Promise<Answer<{ messageId: string; queued: boolean }>> {
  const known = get().conversationId
  if (known !== null) return command('conversation.send', { ...message, conversationId: known })
  creating ??= createConversation().finally(() => {
    creating = null
  })
  const created = await creating
  if (!created.ok) return created
  return command('conversation.send', { ...message, conversationId: created.value.id })
}

/** Messages that are sent while the first one's conversation is being created go to the same one. */
let creating: Promise<Answer<ConversationSummary>> | null = null

async function createConversation(): Promise<Answer<ConversationSummary>> {
  const { folder, draft, settings } = get()
  if (folder === null)
    return {
      ok: false,
      failure: { type: 'no-folder', message: 'No folder is open. Open one first: agents work in a folder.' },
    }
  const created = await command('conversation.create', { folder: folder.path })
  if (!created.ok) return created
  const { id } = created.value
  const { model, permissionMode } = draft
  const choices = [
    model !== undefined && model !== settings.model
      ? await command('conversation.setModel', { conversationId: id, model })
      : null,
    permissionMode !== undefined && permissionMode !== settings.permissionMode
      ? await command('conversation.setMode', { conversationId: id, permissionMode })
      : null,
  ]
  takeConversation(created.value)
  await openConversation(id)
  return (choices.find((answer) => answer !== null && !answer.ok) as undefined) ?? created
}

export async function renameConversation(conversationId: string, title: string): Promise<boolean> {
  const answer = await command('conversation.rename', { conversationId, title })
  if (!answer.ok) showFailure(answer.failure)
  return answer.ok
}

/** Moves a conversation to the trash and offers to take that back. */
export async function trashConversation(conversationId: string): Promise<void> {
  const { conversations, conversationId: shown } = get()
  const title = conversations.find((summary) => summary.id === conversationId)?.title ?? ''
  const answer = await command('conversation.trash', { conversationId })
  if (!answer.ok) return showFailure(answer.failure)
  dropConversation(conversationId)
  if (shown === conversationId) await openConversation(null)
  showNotice({
    level: 'info',
    text: title === '' ? 'The conversation is in the trash.' : `“${title}” is in the trash.`,
    action: { label: 'Undo', run: () => void restoreConversation(conversationId, shown === conversationId) },
  })
}

async function restoreConversation(conversationId: string, show: boolean): Promise<void> {
  const answer = await command('conversation.restore', { conversationId })
  if (!answer.ok) return showFailure(answer.failure)
  takeConversation(answer.value)
  if (show) await openConversation(conversationId)
}

/** Stops the agent; with it stop the agents it started. */
export async function stopAgent(agentId: string): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return
  const answer = await command('agent.stop', { conversationId, agentId })
  if (!answer.ok) showFailure(answer.failure)
}

/** Stops every agent of the conversation on the screen. */
export async function stopAll(): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return
  const answer = await command('conversation.stop', { conversationId })
  if (!answer.ok) showFailure(answer.failure)
}

/** The model of this conversation, from its next request on; before there is one, of the next new one. */
export async function chooseModel(model: string): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, model } }))
  const answer = await command('conversation.setModel', { conversationId, model })
  if (!answer.ok) showFailure(answer.failure)
}

/** The permission mode of this conversation, at once; before there is one, of the next new one. */
export async function chooseMode(permissionMode: Settings['permissionMode']): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, permissionMode } }))
  const answer = await command('conversation.setMode', { conversationId, permissionMode })
  if (!answer.ok) showFailure(answer.failure)
}

// Settings and access

/** Changes settings; in effect at once. The failure's words are for beside the field. */
export async function changeSettings(patch: SettingsPatch): Promise<Answer<Settings>> {
  const answer = await command('settings.change', { patch })
  if (answer.ok) set({ settings: answer.value })
  return answer
}

export async function setAccess(access: CommandInput<'access.set'>): Promise<Answer<AccessInfo>> {
  const answer = await command('access.set', access)
  if (answer.ok) set({ access: answer.value })
  return answer
}

// What the main process pushes

/** Applies what a batch says about the session with one change of the store. */
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
        if (delta.opened) void enterFolder(delta.folder)
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
      case 'trouble':
        showNotice({ level: 'error', text: delta.message })
        break
      case 'event':
      case 'live':
      case 'queue':
      case 'menu':
      case 'log-trouble':
        break
    }
  }
}

function entered(answer: Answer<FolderInfo | null>): boolean {
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  if (answer.value === null) return false
  void enterFolder(answer.value)
  return true
}

/** Goes to a folder: its agents, and the conversation that was on the screen there. */
async function enterFolder(folder: FolderInfo): Promise<void> {
  set({ folder, definitions: [], definitionProblems: [] })
  void loadDefinitions(folder.path)
  const last = remembered(folder.path)
  const { listed, conversations, place } = get()
  // Before the list is there the last one is taken for there too; `takeList` mends it where it is not.
  const known = !listed || conversations.some(({ id, folder: place }) => id === last && place === folder.path)
  const opened = openConversation(known ? last : null)
  // Who edits agents goes on with those of the other folder.
  if (place === 'agents') set({ place })
  await opened
}

/** The list of conversations has come: those that were told of meanwhile are newer than their entry. */
function takeList(list: readonly ConversationSummary[]): void {
  const told = get().conversations
  const others = list.filter(({ id, scratch }) => !scratch && !told.some((other) => id === other.id))
  set({ listed: true, conversations: byLastUse([...told, ...others]) })
  const { conversationId, conversations, scratch } = get()
  if (scratch === null && conversationId !== null && !conversations.some(({ id }) => id === conversationId))
    void openConversation(null)
}

async function loadDefinitions(path: string): Promise<void> {
  const answer = await command('folder.definitions', { path })
  if (get().folder?.path !== path) return
  if (answer.ok) set({ definitions: answer.value.definitions, definitionProblems: answer.value.problems })
  else showFailure(answer.failure)
}

function takeFolder(folder: FolderInfo): void {
  if (get().folder?.path === folder.path) set({ folder })
}

function takeConversation(summary: ConversationSummary): void {
  if (!summary.scratch)
    set(({ conversations }) => ({
      conversations: byLastUse([...conversations.filter((other) => other.id !== summary.id), summary]),
    }))
  const { record } = useConversation.getState()
  if (record?.id === summary.id && record.title !== summary.title)
    useConversation.setState({ record: { ...record, title: summary.title } })
}

function conversationGone(conversationId: string): void {
  dropConversation(conversationId)
  const { scratch, conversationId: shown } = get()
  if (scratch?.back === conversationId) set({ scratch: { ...scratch, back: null } })
  if (shown !== conversationId) return
  void (scratch === null ? openConversation(null) : leaveScratch())
}

function dropConversation(conversationId: string): void {
  set(({ conversations }) => ({
    conversations: conversations.filter((other) => other.id !== conversationId),
  }))
}

function byLastUse(conversations: readonly ConversationSummary[]): readonly ConversationSummary[] {
  return conversations.toSorted((a, b) => b.updatedAt - a.updatedAt)
}

const lastKey = (folder: string) => `last-conversation:${folder}`

function remember(folder: string | undefined, conversationId: string | null): void {
  if (folder === undefined) return
  if (conversationId === null) localStorage.removeItem(lastKey(folder))
  else localStorage.setItem(lastKey(folder), conversationId)
}

function remembered(folder: string): string | null {
  return localStorage.getItem(lastKey(folder))
}
