/** The user's actions on conversations: send, rename, move to the trash, stop, choose model and mode. */

import type { Answer, CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { command } from '../../bridge.ts'
import { dropConversation, takeConversation } from '../conversation-list.ts'
import { useConversation } from '../conversation-store.ts'
import { showFailure, showNotice } from '../notice-store.ts'
import { useSession } from '../session-store.ts'
import { openConversation, switchConversation } from '../shown-conversation.ts'
import { agentName } from '../text/agent-text.ts'
import { coordinatesNext } from './coordinator-mode.ts'

const { getState: get, setState: set } = useSession

/** Sends a message to the shown conversation, or to a new one. On a failure the composer keeps its text. */
export async function send(
  message: Omit<CommandInput<'conversation.send'>, 'conversationId'>,
): Promise<Answer<{ messageId: string; queued: boolean }>> {
  const conversation = await shownOrNewConversation()
  if (!conversation.ok) return conversation
  return command('conversation.send', { ...message, conversationId: conversation.value })
}

/** The id of the shown conversation, or of a new one. */
export async function shownOrNewConversation(): Promise<Answer<string>> {
  const known = get().conversationId
  if (known !== null) return { ok: true, value: known }
  creating ??= createConversation().finally(() => {
    creating = null
  })
  const created = await creating
  return created.ok ? { ok: true, value: created.value.id } : created
}

/** Further messages sent while the conversation is being created go to the same conversation. */
let creating: Promise<Answer<ConversationSummary>> | null = null

async function createConversation(): Promise<Answer<ConversationSummary>> {
  const { folder, draft, settings } = get()
  if (folder === null)
    return {
      ok: false,
      failure: { type: 'no-folder', message: 'No folder is open. Open one first: agents work in a folder.' },
    }
  const created = await command('conversation.create', {
    folder: folder.path,
    coordinator: coordinatesNext(get()),
    ...(draft.mainAgent !== undefined && { agent: draft.mainAgent }),
  })
  if (!created.ok) return created
  const { id } = created.value
  const { model, effort, thinking, permissionMode } = draft
  const choices = [
    model !== undefined && model !== settings.model
      ? await command('conversation.setModel', { conversationId: id, model })
      : null,
    effort !== undefined && effort !== settings.effort
      ? await command('conversation.setEffort', { conversationId: id, effort })
      : null,
    thinking !== undefined && thinking !== settings.thinking
      ? await command('conversation.setThinking', { conversationId: id, thinking })
      : null,
    permissionMode !== undefined && permissionMode !== settings.permissionMode
      ? await command('conversation.setMode', { conversationId: id, permissionMode })
      : null,
  ]
  takeConversation(created.value)
  // The user may have opened another conversation or folder meanwhile.
  if (get().conversationId === null && get().folder?.path === folder.path) await switchConversation(id)
  return (choices.find((answer) => answer !== null && !answer.ok) as undefined) ?? created
}

export async function renameConversation(conversationId: string, title: string): Promise<boolean> {
  const answer = await command('conversation.rename', { conversationId, title })
  if (!answer.ok) showFailure(answer.failure)
  return answer.ok
}

/** Moves a conversation to the trash and offers to undo the move. */
export async function trashConversation(conversationId: string): Promise<void> {
  const { conversations, conversationId: shown, view } = get()
  const summary = conversations.find(({ id }) => id === conversationId)
  const what = summary === undefined || summary.title === '' ? 'The conversation' : `“${summary.title}”`
  const running = summary?.running ?? 0
  const answer = await command('conversation.trash', { conversationId })
  if (!answer.ok) return showFailure(answer.failure)
  dropConversation(conversationId)
  if (shown === conversationId) await openConversation(null, view)
  showNotice({
    level: 'info',
    text: `${what} is in the trash.${running === 0 ? '' : running === 1 ? ' Its agent was stopped.' : ` Its ${running} agents were stopped.`}`,
    action: { label: 'Undo', run: () => void restoreConversation(conversationId, shown === conversationId) },
  })
}

/** Restores a conversation from the trash. Returns whether it is back. */
export async function restoreConversation(conversationId: string, show: boolean): Promise<boolean> {
  const { view } = get()
  const answer = await command('conversation.restore', { conversationId })
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  takeConversation(answer.value)
  if (show) await openConversation(conversationId, view)
  return true
}

/** Stops every agent of the shown conversation, names them in a notice, and offers to continue them. */
export async function stopAll(): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return
  const stopped = [...useConversation.getState().agents.values()].filter(isLive)
  const answer = await command('conversation.stop', { conversationId })
  if (!answer.ok) return showFailure(answer.failure)
  if (stopped.length === 0) return
  showNotice({
    level: 'info',
    text: stoppedText(stopped),
    action: { label: 'Continue all', run: () => void continueStopped(conversationId) },
  })
}

/** "Stopped 3 agents: Main agent, Explore (routes), Explore (tests)." */
function stoppedText(agents: readonly AgentState[]): string {
  const names = agents.map((agent) =>
    agent.parentId === null || agent.task === '' ? agentName(agent) : `${agentName(agent)} (${agent.task})`,
  )
  if (names.length === 1) return `Stopped ${names[0]}.`
  const more = names.length - MOST_NAMES
  const shown = more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names
  return `Stopped ${names.length} agents: ${shown.join(', ')}.`
}

const MOST_NAMES = 4

/** Resumes the agents that the user stopped at once, subagents included. */
export async function continueStopped(conversationId: string, whenLimitEnds = false): Promise<void> {
  const answer = await command('conversation.continue', {
    conversationId,
    ...(whenLimitEnds ? { whenLimitEnds } : {}),
  })
  if (!answer.ok) showFailure(answer.failure)
}

/** Sets the model of this conversation from its next request on, or the model of the next new conversation. */
export async function chooseModel(model: string): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, model } }))
  const answer = await command('conversation.setModel', { conversationId, model })
  if (!answer.ok) showFailure(answer.failure)
}

/** Sets the effort of this conversation from its next request on, or of the next new conversation. */
export async function chooseEffort(effort: Settings['effort']): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, effort } }))
  const answer = await command('conversation.setEffort', { conversationId, effort })
  if (!answer.ok) showFailure(answer.failure)
}

/** Replaces the history of this conversation's main agent by a summary. A failure is shown. */
export async function compact(conversationId: string, instructions: string): Promise<void> {
  const answer = await command('conversation.compact', { conversationId, instructions })
  if (!answer.ok) showFailure(answer.failure)
}

/** Sets whether this conversation's model thinks from its next request on, or that of the next new conversation. */
export async function chooseThinking(thinking: Settings['thinking']): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, thinking } }))
  const answer = await command('conversation.setThinking', { conversationId, thinking })
  if (!answer.ok) showFailure(answer.failure)
}

/** Sets the permission mode of this conversation at once, or the mode of the next new conversation. */
export async function chooseMode(permissionMode: Settings['permissionMode']): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, permissionMode } }))
  const answer = await command('conversation.setMode', { conversationId, permissionMode })
  if (!answer.ok) showFailure(answer.failure)
}
