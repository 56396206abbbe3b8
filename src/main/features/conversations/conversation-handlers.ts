/** Answers the window about conversations and their agents: what the runtime's commands do, with the user's choices. */
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ImageBlock, UserBlock } from '../../../shared/messages/content.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { NewConversation, Runtime } from '../../runtime/ports/runtime.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'

interface ConversationParts {
  readonly runtime: Runtime
  readonly store: Pick<TranscriptStore, 'toolOutput'>
  readonly settings: { readonly current: Settings }
  /** A new conversation with the choices of the settings. */
  readonly newConversation: (folder: string) => NewConversation
}

/** The window itself answers what concerns its stream of deltas. */
type OfStream = 'conversation.subscribe' | 'conversation.unsubscribe' | 'agent.transcript' | 'agent.watch'

export function conversationHandlers({
  runtime,
  store,
  settings,
  newConversation,
}: ConversationParts): Omit<
  HandlersOf<'conversation' | 'agent' | 'team' | 'task' | 'verification' | 'comparison'>,
  OfStream
> {
  const trashScratch = scratchTrash(runtime)
  return {
    'conversation.list': async () => {
      const startedAt = Date.now()
      const list = await runtime.conversations()
      trashScratch(list, startedAt)
      return ok(list)
    },
    'conversation.create': async ({ folder, coordinator = settings.current.coordinatorMode, agent }) => {
      const usual = newConversation(folder)
      const isFree = agent === undefined && !coordinator && !usual.rehearsal
      const main = isFree ? settings.current.mainAgent : (agent ?? null)
      const created = await runtime.create({
        ...{ ...usual, coordinator },
        ...(main !== null && { agent: main, prefersOwnModel: true }),
      })
      return !created.ok && isFree && main !== null && created.failure.type === 'unknown-agent'
        ? fail({ ...created.failure, message: `${created.failure.message} ${CHOSEN}` })
        : created
    },
    'conversation.branch': async ({ conversationId, seq, message, coordinator }) => {
      const content = message && contentOf(message)
      if (content?.length === 0) return fail(emptyMessage)
      const mode = coordinator === undefined ? {} : { coordinator }
      return runtime.branch({ conversationId, seq, content, ...mode })
    },
    'conversation.rename': ({ conversationId, title }) => runtime.rename(conversationId, title),
    'conversation.trash': ({ conversationId }) => runtime.trash(conversationId),
    'conversation.restore': ({ conversationId }) => runtime.restore(conversationId),
    'conversation.send': async ({ conversationId, agentId, text, images, typed }) => {
      const content = contentOf({ text, images })
      if (content.length === 0) return fail(emptyMessage)
      return runtime.send({ conversationId, agentId, content, typed })
    },
    'conversation.unqueue': ({ conversationId, messageId }) => runtime.unqueue(conversationId, messageId),
    'conversation.stop': ({ conversationId }) => runtime.stopConversation(conversationId),
    'conversation.continue': ({ conversationId, whenLimitEnds }) =>
      runtime.continueStopped(conversationId, { whenLimitEnds }),
    'conversation.setMode': ({ conversationId, permissionMode }) =>
      runtime.setMode(conversationId, permissionMode),
    'conversation.retryLog': ({ conversationId }) => runtime.retryLog(conversationId),
    'conversation.setLimits': ({ conversationId, limits }) => runtime.setLimits(conversationId, limits),
    'conversation.setModel': ({ conversationId, model }) => runtime.setModel(conversationId, model),
    'conversation.setEffort': ({ conversationId, effort }) => runtime.setEffort(conversationId, effort),
    'conversation.compact': ({ conversationId, instructions }) =>
      runtime.compact(conversationId, instructions),
    'conversation.setThinking': ({ conversationId, thinking }) =>
      runtime.setThinking(conversationId, thinking),

    'agent.stop': ({ conversationId, agentId }) => runtime.stopAgent(conversationId, agentId),
    'agent.pause': ({ conversationId, agentId }) => runtime.pauseAgent(conversationId, agentId),
    'agent.continue': ({ conversationId, agentId }) => runtime.continueAgent(conversationId, agentId),
    'agent.retry': ({ conversationId, agentId }) => runtime.retryNow(conversationId, agentId),
    'agent.toBackground': ({ conversationId, agentId }) => runtime.moveToBackground(conversationId, agentId),
    'agent.definitionChange': ({ conversationId, agentId }) =>
      runtime.definitionChange(conversationId, agentId),
    'agent.context': ({ conversationId, agentId }) => runtime.context(conversationId, agentId),
    'agent.setLimits': ({ conversationId, agentId, limits }) =>
      runtime.setAgentLimits(conversationId, agentId, limits),
    'agent.renew': ({ conversationId, agentId }) => runtime.renewDefinition(conversationId, agentId),
    'agent.answer': async ({ decision, feedback, rule, choice, ...request }) => {
      const given = choice === undefined ? {} : { choice }
      if (decision === 'deny') return runtime.answer(request, { decision, feedback, ...given })
      if (decision === 'allow-once') return runtime.answer(request, { decision, ...given })
      return runtime.answer(request, { decision, ...(rule !== undefined && { rule }) })
    },
    'agent.stopCommand': (command) => runtime.stopCommand(command),
    'agent.setProgramOption': (choice) => runtime.setProgramOption(choice),
    'agent.login': (login) => runtime.login(login),
    'agent.answerForm': ({ answer, ...form }) => runtime.answerForm(form, answer),
    'agent.toolOutput': ({ agentId, toolUseId }) => store.toolOutput(agentId, toolUseId),

    'team.send': async ({ text, images, ...to }) => {
      const content = contentOf({ text, images })
      return content.length === 0 ? fail(emptyMessage) : runtime.sendToAll({ ...to, content })
    },
    'team.addMember': (member) => runtime.addMember(member),
    'team.end': (team) => runtime.endTeam(team),
    'task.create': (task) => runtime.createTask(task),
    'task.update': (task) => runtime.updateTask(task),

    'verification.answer': ({ conversationId, id, verify }) =>
      runtime.answerVerification(conversationId, id, verify),
    'verification.start': ({ conversationId, owner }) => runtime.verifyNow(conversationId, owner),
    'verification.states': ({ conversationId }) => runtime.verificationStates(conversationId),

    'comparison.start': (wanted) => runtime.compare(wanted),
    'comparison.stop': ({ conversationId, comparisonId }) =>
      runtime.stopComparison(conversationId, comparisonId),
    'comparison.check': ({ conversationId, agentId }) => runtime.checkAttempt(conversationId, agentId),
    'comparison.suggestCheck': async ({ folder }) => ok(await runtime.suggestCheck(folder)),
  }
}

/** @returns a new conversation with the choices of the settings */
export function conversationsBySettings({
  settings,
  isTrusted,
  isRehearsal,
}: {
  readonly settings: { readonly current: Settings }
  readonly isTrusted: (folder: string) => boolean
  /** Whether model requests go to the rehearsal's script now. */
  readonly isRehearsal: () => boolean
}): (folder: string) => NewConversation {
  return (folder) => {
    const { model, effort, thinking, permissionMode, bypassFolders } = settings.current
    // As a default for all folders, bypassPermissions still applies to marked folders only.
    const isMarked = isTrusted(folder) && bypassFolders.includes(folder)
    const isRefused = permissionMode === 'bypassPermissions' && !isMarked
    return {
      ...{ folder, model, effort, thinking, rehearsal: isRehearsal() },
      permissionMode: isRefused ? 'default' : permissionMode,
    }
  }
}

/**
 * Trashes scratch conversations of earlier runs, which no list shows, with the first list: later ones are in use, in one of
 * the windows. `startedAt`: ms since the epoch.
 */
function scratchTrash(runtime: Pick<Runtime, 'trash'>) {
  let isDone = false
  const trashAll = async (conversations: readonly ConversationSummary[], startedAt: number) => {
    // A conversation that another process locks now is refused, and stays.
    for (const { id, scratch, readOnly, updatedAt } of conversations)
      if (scratch && !readOnly && updatedAt < startedAt) await runtime.trash(id)
  }
  return (conversations: readonly ConversationSummary[], startedAt: number): void => {
    if (isDone) return
    isDone = true
    trashAll(conversations, startedAt).catch(() => {})
  }
}

/** The content of a message from the window. */
function contentOf({
  text,
  images,
}: {
  readonly text: string
  readonly images: readonly ImageBlock[]
}): readonly UserBlock[] {
  return [...images, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])]
}

const emptyMessage = { type: 'empty', message: 'The message is empty. Write something first.' }

const CHOSEN =
  'The settings name it as the main agent of new conversations (mainAgent); choose another one there.'
