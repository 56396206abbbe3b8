/** The runtime's commands and queries on single agents. */
import { fail, ok } from '../../../shared/result.ts'
import type { Runtime } from '../runtime.ts'
import {
  answerAgent,
  answerForm,
  continueAgent,
  moveToBackground,
  notRunning,
  pauseAgent,
  retryNow,
  setAgentLimits,
  stopAgent,
} from './control.ts'
import type { ConversationDeps } from './conversation.ts'
import type { OpenConversations } from './open-conversations.ts'
import { loginToProgram, setProgramOption } from './program-commands.ts'
import { readContext } from './read-context.ts'
import { definitionChange, renewDefinition } from './renew-definition.ts'
import { queueMessage, unqueue } from './send-message.ts'

type AgentCommands = Pick<
  Runtime,
  | 'send'
  | 'unqueue'
  | 'stopAgent'
  | 'pauseAgent'
  | 'continueAgent'
  | 'retryNow'
  | 'moveToBackground'
  | 'answer'
  | 'answerForm'
  | 'stopCommand'
  | 'setProgramOption'
  | 'login'
  | 'definitionChange'
  | 'context'
  | 'renewDefinition'
  | 'setAgentLimits'
  | 'state'
  | 'live'
>

export function agentCommands(
  conversations: OpenConversations,
  { ports }: Pick<ConversationDeps, 'ports'>,
): AgentCommands {
  return {
    send: ({ conversationId, agentId, content, typed }) =>
      conversations.use(conversationId, (conversation) =>
        queueMessage(conversation, {
          agentId: agentId ?? conversation.file.record.mainAgentId,
          from: 'user',
          sender: null,
          content,
          ...(typed === undefined ? {} : { typed }),
        }),
      ),
    unqueue: (conversationId, messageId) =>
      conversations.use(conversationId, (conversation) => unqueue(conversation, messageId)),
    stopAgent: async (conversationId, agentId) => {
      const open = conversations.get(conversationId)
      return open ? stopAgent(open, agentId) : ok(undefined)
    },
    pauseAgent: async (conversationId, agentId) => {
      const open = conversations.get(conversationId)
      return open ? pauseAgent(open, agentId) : fail(notRunning)
    },
    continueAgent: (conversationId, agentId) =>
      conversations.use(conversationId, (conversation) => continueAgent(conversation, agentId)),
    retryNow: async (conversationId, agentId) => {
      const open = conversations.get(conversationId)
      return open ? retryNow(open, agentId) : fail(notRunning)
    },
    moveToBackground: async (conversationId, agentId) => {
      const open = conversations.get(conversationId)
      return open ? moveToBackground(open, agentId) : fail(notRunning)
    },
    answer: async ({ conversationId, ...request }, answer) =>
      conversations.useOpen(conversationId, (conversation) => answerAgent(conversation, request, answer)),
    answerForm: async ({ conversationId, ...form }, answer) =>
      conversations.useOpen(conversationId, (conversation) => answerForm(conversation, form, answer)),
    stopCommand: async ({ conversationId, agentId, commandId }) => {
      const open = conversations.get(conversationId)
      const backing = open?.agents.get(agentId)?.agent?.backing
      const stopped =
        backing?.stopCommand?.(commandId) || (await open?.commands.stopByUser(agentId, commandId))
      return stopped ? ok(undefined) : fail({ type: 'ended', message: 'This command is not running.' })
    },
    setProgramOption: ({ conversationId, ...choice }) =>
      conversations.use(conversationId, (conversation) => setProgramOption(conversation, choice)),
    login: ({ conversationId, ...login }) =>
      conversations.use(conversationId, (conversation) => loginToProgram(conversation, login)),
    definitionChange: (conversationId, agentId) =>
      conversations.use(conversationId, (conversation) => definitionChange(conversation, agentId)),
    context: (conversationId, agentId) =>
      readContext({ conversationId, agentId }, { open: conversations.get(conversationId), ports }),
    renewDefinition: (conversationId, agentId) =>
      conversations.use(conversationId, (conversation) => renewDefinition(conversation, agentId)),
    setAgentLimits: (conversationId, agentId, limits) =>
      conversations.use(conversationId, (conversation) => setAgentLimits(conversation, agentId, limits)),
    state: (conversationId, agentId) => conversations.get(conversationId)?.agents.state(agentId) ?? null,
    live: (agentId) => {
      for (const { agents } of conversations.all()) {
        const agent = agents.get(agentId)?.agent
        if (agent) return agent.transcript.stream.events(agentId)
      }
      return []
    },
  }
}
