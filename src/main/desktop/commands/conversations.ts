/** Handlers for conversations. Most of them delegate to the runtime. */
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Program, SubscriptionListener } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'
import { type DefaultConversationDeps, defaultConversation } from './default-conversation.ts'
import { contentOf, emptyMessage } from './message-content.ts'
import { createScratchTrash, type ScratchTrash } from './trash-old-scratch.ts'

export interface ConversationDeps extends DefaultConversationDeps {
  readonly program: () => Promise<Program>
  /** Trashes the scratch conversations of earlier runs. Called with each list. */
  readonly trashScratch?: ScratchTrash
  /** Called when the window subscribes to a conversation, or ends a subscription. */
  readonly subscriptions?: SubscriptionListener
}

export function conversationCommands({
  program,
  settings,
  isRehearsal,
  trashScratch = createScratchTrash(),
  subscriptions,
}: ConversationDeps): HandlersOf<'conversation'> {
  const runtime = async () => (await program()).runtime
  return {
    'conversation.list': async () => {
      const startedAt = Date.now()
      const asked = await runtime()
      const list = await asked.conversations()
      trashScratch(list, asked, startedAt)
      return ok(list)
    },
    'conversation.create': async ({ folder, coordinator = settings.current.coordinatorMode, agent }) => {
      const usual = defaultConversation(folder, { settings, isRehearsal })
      const isFree = agent === undefined && !coordinator && !usual.rehearsal
      const main = isFree ? settings.current.mainAgent : (agent ?? null)
      const created = await (await runtime()).create({
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
      return (await runtime()).branch({ conversationId, seq, content, ...mode })
    },
    'conversation.rename': async ({ conversationId, title }) =>
      (await runtime()).rename(conversationId, title),
    'conversation.trash': async ({ conversationId }) => (await runtime()).trash(conversationId),
    'conversation.restore': async ({ conversationId }) => (await runtime()).restore(conversationId),
    'conversation.subscribe': async ({ conversationId }, call) => {
      const { runtime } = await program()
      const joined = await call.stream.join(conversationId, async () => {
        const snapshot = await runtime.snapshot(conversationId)
        call.hold()
        return snapshot
      })
      if (joined.ok) subscriptions?.subscribed(conversationId)
      return joined
    },
    'conversation.unsubscribe': async ({ conversationId }, { stream }) => {
      stream.leave(conversationId)
      subscriptions?.unsubscribed(conversationId)
      return ok(undefined)
    },
    'conversation.send': async ({ conversationId, agentId, text, images, typed }) => {
      const content = contentOf({ text, images })
      if (content.length === 0) return fail(emptyMessage)
      return (await runtime()).send({ conversationId, agentId, content, typed })
    },
    'conversation.unqueue': async ({ conversationId, messageId }) =>
      (await runtime()).unqueue(conversationId, messageId),
    'conversation.stop': async ({ conversationId }) => (await runtime()).stopConversation(conversationId),
    'conversation.continue': async ({ conversationId, whenLimitEnds }) =>
      (await runtime()).continueStopped(conversationId, { whenLimitEnds }),
    'conversation.setMode': async ({ conversationId, permissionMode }) =>
      (await runtime()).setMode(conversationId, permissionMode),
    'conversation.retryLog': async ({ conversationId }) => (await runtime()).retryLog(conversationId),
    'conversation.setLimits': async ({ conversationId, limits }) =>
      (await program()).runtime.setLimits(conversationId, limits),
    'conversation.setModel': async ({ conversationId, model }) =>
      (await runtime()).setModel(conversationId, model),
    'conversation.setEffort': async ({ conversationId, effort }) =>
      (await runtime()).setEffort(conversationId, effort),
    'conversation.compact': async ({ conversationId, instructions }) =>
      (await runtime()).compact(conversationId, instructions),
    'conversation.setThinking': async ({ conversationId, thinking }) =>
      (await runtime()).setThinking(conversationId, thinking),
  }
}

const CHOSEN =
  'The settings name it as the main agent of new conversations (mainAgent); choose another one there.'
