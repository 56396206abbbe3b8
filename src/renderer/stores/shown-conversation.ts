/** The conversation on the screen, the last conversation of each folder, and the panels on the stage. */

import { create } from 'zustand'
import type { View } from '../../shared/commands/views.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { command, LatestAnswer } from '../bridge.ts'
import { showConversation, useConversation } from './conversation-store.ts'
import { showFailure } from './overlay-store.ts'
import { loadDefinitions, setViewFrom, useSession } from './session-store.ts'

const { getState: get, setState: set } = useSession

/** Requests to show a conversation. */
const requests = new LatestAnswer()

/**
 * Shows a conversation on the stage and opens its folder. If another window has the folder, that window shows the
 * conversation, and this one stays as it is. Null: a new conversation in the open folder.
 *
 * @param from the view that the user was in when they asked; a view chosen since then stays
 */
export async function openConversation(
  conversationId: string | null,
  from: View = get().view,
): Promise<void> {
  const isLatest = requests.begin()
  const { folder, conversations } = get()
  const wanted = conversations.find((summary) => summary.id === conversationId)?.folder
  if (wanted !== undefined && wanted !== folder?.path) {
    const answer = await command('folder.open', { path: wanted, conversationId })
    if (!isLatest()) return
    if (!answer.ok) showFailure(answer.failure)
    else if (answer.value === null) return
    else {
      set({ folder: answer.value })
      void loadDefinitions(answer.value.path)
    }
  }
  setViewFrom(from, 'stage')
  await switchConversation(conversationId)
}

/** Makes a conversation of the open folder the shown one. The view stays. Null: a new conversation. */
export async function switchConversation(conversationId: string | null): Promise<void> {
  requests.begin()
  set({ conversationId, scratch: null, draft: {} })
  useStage.setState({ selectedAgentId: null, reveal: null })
  rememberShown(get().folder?.path, conversationId)
  await showConversation(conversationId)
}

/** Shows a scratch conversation. `leaveScratch` restores the stage's own conversation. */
export async function showScratch(conversationId: string): Promise<void> {
  const { scratch, conversationId: shown } = get()
  set({ conversationId, scratch: { conversationId, back: scratch === null ? shown : scratch.back } })
  await showConversation(conversationId)
}

/** Restores the stage's own conversation. Does nothing without a scratch conversation. */
export async function leaveScratch(): Promise<void> {
  const { scratch } = get()
  if (scratch === null) return
  set({ conversationId: scratch.back, scratch: null })
  await showConversation(scratch.back)
}

export function conversationGone(conversationId: string): void {
  dropConversation(conversationId)
  const { scratch, conversationId: shown } = get()
  if (scratch?.back === conversationId) set({ scratch: { ...scratch, back: null } })
  if (shown !== conversationId) return
  void (scratch === null ? switchConversation(null) : leaveScratch())
}

/** The id of a folder's last shown conversation. */
export function remembered(folder: string): string | null {
  return localStorage.getItem(lastKey(folder))
}

function rememberShown(folder: string | undefined, conversationId: string | null): void {
  if (folder === undefined) return
  if (conversationId === null) localStorage.removeItem(lastKey(folder))
  else localStorage.setItem(lastKey(folder), conversationId)
}

const lastKey = (folder: string) => `last-conversation:${folder}`

/** The conversations of all folders, the most recently used first. */

/** Adds the loaded list. Summaries that arrived during loading are newer than their entries in the list. */
export function takeConversations(list: readonly ConversationSummary[]): void {
  const newer = get().conversations
  const others = list.filter(({ id, scratch }) => !scratch && !newer.some((other) => id === other.id))
  set({ listed: true, conversations: byLastUse([...newer, ...others]) })
}

export function takeConversation(summary: ConversationSummary): void {
  if (!summary.scratch)
    set(({ conversations }) => ({
      conversations: byLastUse([...conversations.filter((other) => other.id !== summary.id), summary]),
    }))
  const { record } = useConversation.getState()
  if (record?.id === summary.id && record.title !== summary.title)
    useConversation.setState({ record: { ...record, title: summary.title } })
}

export function dropConversation(conversationId: string): void {
  set(({ conversations }) => ({
    conversations: conversations.filter((other) => other.id !== conversationId),
  }))
}

function byLastUse(conversations: readonly ConversationSummary[]): readonly ConversationSummary[] {
  return conversations.toSorted((a, b) => b.updatedAt - a.updatedAt)
}

/** A notification of the system, with the number of pending questions in all conversations as the badge. */
export function notify(title: string, body: string): void {
  const { conversations, conversationId } = useSession.getState()
  const elsewhere = conversations.reduce(
    (sum, { id, requests }) => (id === conversationId ? sum : sum + requests),
    0,
  )
  const needsYou = elsewhere + useConversation.getState().needs.length
  void command('system.notify', { title: title.slice(0, 200), body: body.slice(0, 500), needsYou })
}

/** A request to bring an element into view. Each request is a new object, so that it can be repeated. */
type Reveal =
  | { readonly kind: 'agent'; readonly agentId: string }
  /** The agent's message field. */
  | { readonly kind: 'line'; readonly agentId: string }
  | { readonly kind: 'request'; readonly agentId: string; readonly requestId: string }

interface StageState {
  /** The agent selected in the tree and in its panel, if any; null: the main agent. */
  readonly selectedAgentId: string | null
  readonly reveal: Reveal | null
}

export const useStage = create<StageState>()(() => ({ selectedAgentId: null, reveal: null }))

/** Opens the panel of an agent and moves the focus there. */
export function revealAgent(agentId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'agent', agentId } })
}

/** Opens the panel of an agent and moves the focus to its message field. */
export function revealLine(agentId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'line', agentId } })
}

/** Brings a permission request into view and moves the focus to it. */
export function revealRequest(agentId: string, requestId: string): void {
  useStage.setState({ selectedAgentId: agentId, reveal: { kind: 'request', agentId, requestId } })
}

/** Selects an agent without moving the focus: its panel already has the focus. */
export function selectAgent(agentId: string | null): void {
  useStage.setState({ selectedAgentId: agentId })
}

/** Clears a reveal after it was carried out, so that it happens only once. */
export function revealDone(reveal: Reveal): void {
  if (useStage.getState().reveal === reveal) useStage.setState({ reveal: null })
}

/** The user's arrangement of the stage and its tree, stored per conversation in the local storage. */
export const layouts = ['focus', 'columns', 'grid', 'free'] as const
export type Layout = (typeof layouts)[number]

export interface StageMemory {
  /** Null: the layout of the settings. */
  readonly layout: Layout | null
  readonly pinned: readonly string[]
  /** The agent shown alone in the layout `focus`. */
  readonly focused: string | null
  /** The serialized layout of the docking library, for the layout `free`. */
  readonly dock: unknown
  /** The agents whose subagents are hidden in the tree. */
  readonly collapsed: readonly string[]
}

const NOTHING: StageMemory = { layout: null, pinned: [], focused: null, dock: null, collapsed: [] }
const PREFIX = 'troupe.stage.'
/** Number of stored arrangements; the local storage is limited. */
const KEPT = 100

interface MemoryState {
  readonly conversationId: string | null
  readonly memory: StageMemory
}

export const useStageMemory = create<MemoryState>()(() => ({ conversationId: null, memory: NOTHING }))

/** Loads the stored arrangement of a conversation. */
export function recall(conversationId: string | null): void {
  if (useStageMemory.getState().conversationId === conversationId) return
  useStageMemory.setState({
    conversationId,
    memory: conversationId === null ? NOTHING : read(conversationId),
  })
}

/** Changes and stores the arrangement of the conversation on the screen. */
export function remember(change: Partial<StageMemory>): void {
  const { conversationId, memory } = useStageMemory.getState()
  const next = { ...memory, ...change }
  useStageMemory.setState({ memory: next })
  if (conversationId !== null) write(conversationId, next)
}

function read(conversationId: string): StageMemory {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(PREFIX + conversationId) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return NOTHING
    const { layout, pinned, focused, dock, collapsed } = stored as Partial<Record<keyof StageMemory, unknown>>
    return {
      layout: layouts.find((one) => one === layout) ?? null,
      pinned: strings(pinned),
      focused: typeof focused === 'string' ? focused : null,
      dock: dock ?? null,
      collapsed: strings(collapsed),
    }
  } catch {
    return NOTHING
  }
}

function strings(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
}

/** If the storage is full or forbidden, the arrangement lasts as long as the window. */
function write(conversationId: string, memory: StageMemory): void {
  try {
    const key = PREFIX + conversationId
    // Removing the key first makes it the newest one: keys are in the order of their insertion.
    localStorage.removeItem(key)
    const keys = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    for (const oldest of keys.slice(0, Math.max(0, keys.length - KEPT + 1))) localStorage.removeItem(oldest)
    localStorage.setItem(key, JSON.stringify(memory))
  } catch {
    // See above.
  }
}
