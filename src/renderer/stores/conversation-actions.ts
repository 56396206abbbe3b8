/** The user's actions on conversations: send, rename, move to the trash, stop, choose model and mode. */

import { create } from 'zustand'
import type { DefinitionInfo } from '../../shared/agent-definition/agent-catalog.ts'
import type { NewConversation } from '../../shared/conversations/contract.ts'
import type { Answer, CommandInput } from '../../shared/ipc/ipc-contract.ts'
import type { ImageBlock } from '../../shared/messages/content.ts'
import { messageContent } from '../../shared/messages/text-of.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import { type AgentState, isLive } from '../../shared/state/agent-state.ts'
import { command } from '../bridge.ts'
import { isExternal } from '../ui/text/external-agent-text.ts'
import { count } from '../ui/text/format.ts'
import { useStable } from '../ui/use-stable.ts'
import { agentTitleNow, useConversation } from './conversation-store.ts'
import { focusComposer } from './draft-store.ts'
import { endNotices, showFailure, showNotice, showOverlay, useOverlay } from './overlay-store.ts'
import { type SessionState, setView, useSession } from './session-store.ts'
import { openConversation, switchConversation, takeConversation } from './shown-conversation.ts'

const { getState: get, setState: set } = useSession

/** Sends a message to the shown conversation, or with a new one. On a failure the composer keeps its text. */
export async function send({
  agentId,
  ...message
}: Omit<CommandInput<'conversation.send'>, 'conversationId'>): Promise<Answer<unknown>> {
  if (get().conversationId === null && get().creating === null) {
    const created = await createConversation(message)
    const notSent = created.ok ? created.value.notSent : undefined
    return notSent === undefined ? created : { ok: false, failure: notSent }
  }
  const conversation = await shownOrNewConversation()
  if (!conversation.ok) return conversation
  return command('conversation.send', { agentId, ...message, conversationId: conversation.value })
}

/** The id of the shown conversation, or of a new one. */
export async function shownOrNewConversation(): Promise<Answer<string>> {
  const known = get().conversationId
  if (known !== null) return { ok: true, value: known }
  const created = await (get().creating ?? createConversation())
  return created.ok ? { ok: true, value: created.value.id } : created
}

/** Further messages sent while the conversation is being created go to the same conversation. `message`: the first one. */
function createConversation(
  message?: CommandInput<'conversation.create'>['message'],
): Promise<Answer<NewConversation>> {
  const creating = startConversation(message).finally(() => set({ creating: null }))
  set({ creating })
  return creating
}

async function startConversation(
  message: CommandInput<'conversation.create'>['message'],
): Promise<Answer<NewConversation>> {
  const { folder, draft, settings } = get()
  if (folder === null)
    return {
      ok: false,
      failure: { type: 'no-folder', message: 'No folder is open. Open one first: agents work in a folder.' },
    }
  const { model, effort, thinking, permissionMode } = draft
  const created = await command('conversation.create', {
    folder: folder.path,
    coordinator: coordinatesNext(get()),
    ...(draft.mainAgent !== undefined && { agent: draft.mainAgent }),
    ...(model !== undefined && model !== settings.model && { model }),
    ...(effort !== undefined && effort !== settings.effort && { effort }),
    ...(thinking !== undefined && thinking !== settings.thinking && { thinking }),
    ...(permissionMode !== undefined && permissionMode !== settings.permissionMode && { permissionMode }),
    ...(message !== undefined && { message }),
  })
  if (!created.ok) return created
  const { notSent: _, ...summary } = created.value
  const { id } = summary
  takeConversation(summary)
  // The user may have opened another conversation or folder meanwhile.
  if (get().conversationId === null && get().folder?.path === folder.path) await switchConversation(id)
  return created
}

/** A new conversation with the whole history of another one. */
export async function duplicateConversation(conversationId: string): Promise<void> {
  const answer = await command('conversation.branch', { conversationId, seq: null, content: null })
  if (!answer.ok) return showFailure(answer.failure)
  takeConversation(answer.value)
  await openConversation(answer.value.id)
}

/** Shows what a file of a conversation would have in it, and exports it. Default: the shown conversation. */
export function exportConversation(conversationId = get().conversationId): void {
  if (conversationId !== null) showOverlay('export', conversationId)
}

/** Exports several conversations, one after the other. */
export function exportConversations(batch: readonly string[]): void {
  showOverlay('export', batch[0])
  useOverlay.setState({ batch })
}

/** Asks for a file with an exported conversation, and shows the conversation in this window, whatever its folder is. */
export async function importFromFile(): Promise<void> {
  const answer = await command('system.importConversation', {})
  if (!answer.ok) return showFailure(answer.failure)
  if (answer.value === null) return
  const { summary, agents, events } = answer.value
  takeConversation(summary)
  setView('stage')
  await switchConversation(summary.id)
  showNotice({
    level: 'info',
    text: `Imported “${summary.title}”: ${count(agents, 'agent')}, ${count(events, 'event')}.`,
  })
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
    text: `Stopped: ${titlesOf(stopped)}.`,
    about: STOPPED,
    action: {
      label: stopped.length === 1 ? 'Continue' : `Continue all ${stopped.length}`,
      run: () => void continueStopped(conversationId),
    },
  })
}

/** What notices about a stop are about: they leave when the agents continue. */
const STOPPED = 'stopped'

const MOST_NAMES = 4

/** The agents by their tasks: "Main agent, Trace the retry path and 3 more". */
export function titlesOf(agents: readonly AgentState[]): string {
  const names = agents.slice(0, MOST_NAMES).map(agentTitleNow).join(', ')
  const more = agents.length - MOST_NAMES
  return more > 0 ? `${names} and ${more} more` : names
}

/** Resumes the agents that the user stopped at once, subagents included. */
export async function continueStopped(conversationId: string, whenLimitEnds = false): Promise<void> {
  const answer = await command('conversation.continue', {
    conversationId,
    ...(whenLimitEnds ? { whenLimitEnds } : {}),
  })
  if (!answer.ok) return showFailure(answer.failure)
  endNotices(STOPPED)
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
  const answer = await command('conversation.setModel', { conversationId, effort })
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
  const answer = await command('conversation.setModel', { conversationId, thinking })
  if (!answer.ok) showFailure(answer.failure)
}

/** Sets the permission mode of this conversation at once, or the mode of the next new conversation. */
export async function chooseMode(permissionMode: Settings['permissionMode']): Promise<void> {
  const { conversationId } = get()
  if (conversationId === null) return set((state) => ({ draft: { ...state.draft, permissionMode } }))
  const answer = await command('conversation.setMode', { conversationId, permissionMode })
  if (!answer.ok) showFailure(answer.failure)
}

// * Coordinator mode of the conversation on the screen. A new conversation takes the mode that is chosen before
// its first message; one that has begun keeps its mode, and can continue in a new conversation with the other
// mode.

/** The mode of the next new conversation. The environment comes before the settings. */
function coordinatesNext({
  draft,
  info,
  settings,
}: Pick<SessionState, 'draft' | 'info' | 'settings'>): boolean {
  return draft.coordinatorMode ?? info.coordinatorMode ?? settings.coordinatorMode
}

/** Whether the conversation on the screen is coordinated, or the next new one if none is. */
export function useCoordinates(): boolean {
  const begun = useConversation((state) => state.record?.coordinator)
  const next = useSession(coordinatesNext)
  return begun ?? next
}

/** Switches a new conversation; for one that has begun, offers a new conversation with the other mode. */
export function toggleCoordinator(): void {
  const session = useSession.getState()
  if (session.conversationId !== null) {
    if (useConversation.getState().record !== null) showOverlay('coordinator')
    return
  }
  useSession.setState({ draft: { ...session.draft, coordinatorMode: !coordinatesNext(session) } })
}

/** Shows an empty new conversation in this mode. */
export async function startInMode(coordinatorMode: boolean): Promise<void> {
  await openConversation(null)
  useSession.setState(({ draft }) => ({ draft: { ...draft, coordinatorMode } }))
  focusComposer()
}

/** Continues the conversation on the screen in a branch with this mode. False: it could not; a notice says why. */
export async function continueInMode(coordinator: boolean): Promise<boolean> {
  const { conversationId, record } = useConversation.getState()
  if (conversationId === null) return false
  const { view } = useSession.getState()
  const answer = await command('conversation.branch', {
    conversationId,
    seq: null,
    content: null,
    coordinator,
  })
  if (!answer.ok) {
    showFailure(answer.failure)
    return false
  }
  takeConversation(answer.value)
  // The user may have opened another conversation meanwhile.
  if (useConversation.getState().conversationId !== conversationId) return false
  await openConversation(answer.value.id, view)
  focusComposer()
  showNotice({
    level: 'info',
    text: `This is a branch ${coordinator ? 'in' : 'without'} coordinator mode. “${record?.title ?? ''}” stays as it was.`,
    action: { label: 'Go back', run: () => void openConversation(conversationId) },
  })
  return true
}

/** The main agent of the next new conversation, by name; null: Troupe's own. The settings don't count in coordinator mode. */
export function mainAgentNext(
  state: Pick<SessionState, 'draft' | 'settings' | 'info' | 'access'>,
): string | null {
  const { draft, settings, access } = state
  if (draft.mainAgent !== undefined) return draft.mainAgent
  return coordinatesNext(state) || access.kind === 'rehearsal' ? null : settings.mainAgent
}

/** The external agents that can be started in this folder. */
export function useExternalAgentDefinitions(): readonly DefinitionInfo[] {
  return useSession(
    useStable(
      ({ definitions }) => definitions.filter(({ isProgram, hidden }) => isProgram === true && !hidden),
      (a, b) => a.length === b.length && a.every((one, index) => one === b[index]),
    ),
  )
}

/** The main agent of the conversation on the screen, if an external agent carries it out. */
export function useExternalMainAgent(): AgentState | null {
  return useConversation(({ agents, record }) => {
    const main = agents.get(record?.mainAgentId ?? '')
    return main !== undefined && isExternal(main) ? main : null
  })
}

/** Whether the main agent needs no model of Troupe: it is an external agent, here or in the next conversation. */
export function useNeedsNoModel(): boolean {
  const hasMain = useConversation(({ agents, record }) => agents.has(record?.mainAgentId ?? ''))
  const outside = useExternalMainAgent() !== null
  const next = useSession((state) => {
    const name = mainAgentNext(state)
    return state.definitions.some((one) => one.isProgram === true && one.name === name)
  })
  return hasMain ? outside : next
}

/** Chooses the main agent of the next new conversation; null: Troupe's own. */
export function chooseMainAgent(name: string | null): void {
  useSession.setState(({ draft }) => ({ draft: { ...draft, mainAgent: name } }))
}

/** Branches of the shown conversation: an earlier message is edited and sent again, or the conversation continues there. */
interface BranchState {
  /** The message that is being edited, by its id, with the text so far. */
  readonly edit: { readonly messageId: string; readonly text: string } | null
  /** A branch is being made. */
  readonly busy: boolean
}

export const useBranch = create<BranchState>()(() => ({ edit: null, busy: false }))

/** Starts or changes the edit of a message; another edit is dropped. Null: ends it. */
export function editMessage(edit: BranchState['edit']): void {
  useBranch.setState({ edit })
}

/**
 * Continues the shown conversation in a branch, and shows the branch. `message` replaces the message with that number;
 * null: the branch contains that message and its answer. On a failure the edit stays. True: the branch is on the screen.
 */
export async function branchAt(
  seq: number,
  message: { readonly text: string; readonly images: readonly ImageBlock[] } | null,
): Promise<boolean> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null || useBranch.getState().busy) return false
  useBranch.setState({ busy: true })
  const { view } = useSession.getState()
  try {
    const answer = await command('conversation.branch', {
      conversationId,
      seq,
      content: message && messageContent(message.text, message.images),
    })
    if (!answer.ok) {
      showFailure(answer.failure)
      return false
    }
    editMessage(null)
    takeConversation(answer.value)
    // The user may have opened another conversation meanwhile.
    if (useConversation.getState().conversationId !== conversationId) return false
    await openConversation(answer.value.id, view)
    focusComposer()
    return true
  } finally {
    useBranch.setState({ busy: false })
  }
}
