/** What the window asks about conversations. Nearly all of it is the runtime's to answer. */
import type { UserBlock } from '../../../shared/content.ts'
import { fail, ok } from '../../../shared/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'
import { trashLeftScratch } from './trash-left-scratch.ts'
import { type UsualConversationDeps, usualConversation } from './usual-conversation.ts'

export interface ConversationDeps extends UsualConversationDeps {
  readonly program: () => Promise<Program>
  /** Told which conversations the window follows. */
  readonly following?: Following
}

export interface Following {
  begun(conversationId: string): void
  ended(conversationId: string): void
}

export function conversationCommands({
  program,
  settings,
  isRehearsal,
  following,
}: ConversationDeps): HandlersOf<'conversation'> {
  const runtime = async () => (await program()).runtime
  let isTidy = false
  return {
    'conversation.list': async () => {
      const startedAt = Date.now()
      const asked = await runtime()
      const list = await asked.conversations()
      if (!isTidy) void trashLeftScratch(list, asked, startedAt).catch(() => {})
      isTidy = true
      return ok(list)
    },
    'conversation.create': async ({ folder }) => {
      return (await runtime()).create(usualConversation(folder, { settings, isRehearsal }))
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
      if (joined.ok) following?.begun(conversationId)
      return joined
    },
    'conversation.unsubscribe': async ({ conversationId }, { stream }) => {
      stream.leave(conversationId)
      following?.ended(conversationId)
      return ok(undefined)
    },
    'conversation.send': async ({ conversationId, agentId, text, images }) => {
      const content: readonly UserBlock[] = [
        ...images,
        ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
      ]
      if (content.length === 0)
        return fail({ type: 'empty', message: 'There is nothing in the message. Write something first.' })
      return (await runtime()).send({ conversationId, agentId, content })
    },
    'conversation.unqueue': async ({ conversationId, messageId }) =>
      (await runtime()).unqueue(conversationId, messageId),
    'conversation.stop': async ({ conversationId }) => (await runtime()).stopConversation(conversationId),
    'conversation.setMode': async ({ conversationId, permissionMode }) =>
      (await runtime()).setMode(conversationId, permissionMode),
    'conversation.retryLog': async ({ conversationId }) => (await runtime()).retryLog(conversationId),
    'conversation.setLimits': async ({ conversationId, limits }) =>
      (await program()).runtime.setLimits(conversationId, limits),
    'conversation.setModel': async ({ conversationId, model }) =>
      (await runtime()).setModel(conversationId, model),
  }
}
