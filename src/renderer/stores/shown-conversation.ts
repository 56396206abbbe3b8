/** The conversation on the screen, and the last conversation of each folder. */

import type { View } from '../../shared/commands/views.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { command, LatestAnswer } from '../bridge.ts'
import { showConversation, useConversation } from './conversation-store.ts'
import { showFailure } from './overlay-store.ts'
import { loadDefinitions, setViewFrom, useSession } from './session-store.ts'
import { useStage } from './stage-store.ts'

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
