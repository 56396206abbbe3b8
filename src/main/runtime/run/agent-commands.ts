/** The runtime's commands and queries on single agents. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ContextReport } from '../../../shared/state/context-report.ts'
import { type Assembly, type Conversation, noSuchAgent } from '../conversation/conversation.ts'
import { readAgent } from '../conversation/read-agent.ts'
import { RequestTools } from '../conversation/request-tools.ts'
import type { Ports } from '../ports/ports.ts'
import type { Runtime } from '../ports/runtime.ts'
import { contextReport } from './context-parts.ts'
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
import type { OpenConversations } from './open-conversations.ts'
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
  { ports }: Pick<Assembly, 'ports'>,
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
        backing?.job?.stopCommand(commandId) || (await open?.commands.stopByUser(agentId, commandId))
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

interface Choice {
  readonly agentId: string
  readonly optionId: string
  readonly value: string
}

/** Fails with `not-possible` unless an external agent carries out the agent, else as the external agent answers. */
async function setProgramOption(
  conversation: Conversation,
  { agentId, optionId, value }: Choice,
): Promise<Result<void>> {
  const asked = await conversation.withAgent(
    agentId,
    ({ backing }) => backing.program?.setOption(optionId, value) ?? noProgram,
  )
  const set = asked.ok ? await asked.value : asked
  if (!set.ok) return set
  const options = [...set.value]
  // An agent that was read for this has been unloaded since.
  return conversation.withAgent(agentId, (agent) => {
    if (JSON.stringify(options) !== JSON.stringify(agent.state().program?.options ?? []))
      agent.emit({ type: 'program-options', options })
  })
}

/**
 * Logs in to the program of an agent. A run that waits for it begins again, and so does an agent that failed because
 * the login was missing. Fails with `not-possible` unless an external agent carries out the agent, else as the external
 * agent answers.
 */
async function loginToProgram(
  conversation: Conversation,
  { agentId, methodId }: { readonly agentId: string; readonly methodId: string },
): Promise<Result<void>> {
  const asked = await conversation.withAgent(
    agentId,
    ({ backing }) => backing.program?.login(methodId) ?? noProgram,
  )
  const done = asked.ok ? await asked.value : asked
  if (!done.ok) return done
  const handle = conversation.agents.get(agentId)
  if (handle === null || handle.isRunning || handle.state().program?.login == null) return ok(undefined)
  return continueAgent(conversation, agentId)
}

const noProgram: Result<never> = fail({
  type: 'not-possible',
  message: 'This agent is not carried out by an external agent.',
})

/** What fills the next request of an agent, in memory or in its transcript. */
interface ContextSources {
  /** The agent's conversation, if this runtime has it open. */
  readonly open: Conversation | null
  readonly ports: Pick<Ports, 'store' | 'models'>
}

/** Fails with `not-found`, `damaged`, or a failure of the store. */
async function readContext(
  { conversationId, agentId }: { readonly conversationId: string; readonly agentId: string },
  { open, ports }: ContextSources,
): Promise<Result<ContextReport>> {
  const windowOf = (model: string) => ports.models.facts(model).contextTokens
  const live = open?.agents.get(agentId)?.agent
  if (live) {
    const { history } = live.transcript
    const state = live.state()
    return ok(
      contextReport({
        state,
        system: live.prompt.system,
        tools: live.prompt.toolSchemas,
        messages: history.messages(),
        instructions: [...live.prompt.instructions, ...history.told.instructions.values()],
        window: state.context.window ?? windowOf(state.model),
      }),
    )
  }
  const read = await readAgent(ports.store, agentId)
  if (!read.ok) return read
  const { spawned, state, history } = read.value
  if (spawned.conversationId !== conversationId) return fail(noSuchAgent)
  return ok(
    contextReport({
      state,
      system: spawned.system,
      tools: new RequestTools(spawned.tools, history.told.compacted, {
        added: history.told.added,
        refused: history.told.refused,
      }).schemas,
      messages: history.messages(),
      instructions: [...spawned.instructions, ...history.told.instructions.values()],
      window: state.context.window ?? windowOf(state.model),
    }),
  )
}
