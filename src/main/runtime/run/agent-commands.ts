/** Answers the commands on single agents, and what is asked of them. */

import type { NameOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ContextReport } from '../../../shared/state/context-report.ts'
import { type Assembly, type Conversation, noSuchAgent } from '../conversation/conversation.ts'
import { readAgent } from '../conversation/read-agent.ts'
import { RequestTools } from '../conversation/request-tools.ts'
import type { Ports } from '../ports/ports.ts'
import type { Runtime, RuntimeCommand, RuntimeHandlers } from '../ports/runtime.ts'
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

export function agentHandlers(
  conversations: OpenConversations,
  { ports }: Pick<Assembly, 'ports'>,
): Pick<RuntimeHandlers, NameOf<'agent'> & RuntimeCommand> {
  return {
    'agent.stop': async ({ conversationId, agentId }) => {
      const open = conversations.get(conversationId)
      return open ? stopAgent(open, agentId) : ok(undefined)
    },
    'agent.pause': async ({ conversationId, agentId }) => {
      const open = conversations.get(conversationId)
      return open ? pauseAgent(open, agentId) : fail(notRunning)
    },
    'agent.continue': ({ conversationId, agentId }) =>
      conversations.use(conversationId, (conversation) => continueAgent(conversation, agentId)),
    'agent.retry': async ({ conversationId, agentId }) => {
      const open = conversations.get(conversationId)
      return open ? retryNow(open, agentId) : fail(notRunning)
    },
    'agent.toBackground': async ({ conversationId, agentId }) => {
      const open = conversations.get(conversationId)
      return open ? moveToBackground(open, agentId) : fail(notRunning)
    },
    'agent.answer': async ({ conversationId, answer, ...request }) =>
      conversations.useOpen(conversationId, (conversation) => answerAgent(conversation, request, answer)),
    'agent.answerForm': async ({ conversationId, answer, ...form }) =>
      conversations.useOpen(conversationId, (conversation) => answerForm(conversation, form, answer)),
    'agent.stopCommand': async ({ conversationId, agentId, commandId }) => {
      const open = conversations.get(conversationId)
      const backing = open?.agents.get(agentId)?.agent?.backing
      const stopped =
        backing?.job?.stopCommand(commandId) || (await open?.commands.stopByUser(agentId, commandId))
      return stopped ? ok(undefined) : fail({ type: 'ended', message: 'This command is not running.' })
    },
    'agent.setProgramOption': ({ conversationId, ...choice }) =>
      conversations.use(conversationId, (conversation) => setProgramOption(conversation, choice)),
    'agent.login': ({ conversationId, ...login }) =>
      conversations.use(conversationId, (conversation) => loginToProgram(conversation, login)),
    'agent.definitionChange': ({ conversationId, agentId }) =>
      conversations.use(conversationId, (conversation) => definitionChange(conversation, agentId)),
    'agent.context': (agent) => readContext(agent, { open: conversations.get(agent.conversationId), ports }),
    'agent.renew': ({ conversationId, agentId }) =>
      conversations.use(conversationId, (conversation) => renewDefinition(conversation, agentId)),
    'agent.setLimits': ({ conversationId, agentId, limits }) =>
      conversations.use(conversationId, (conversation) => setAgentLimits(conversation, agentId, limits)),
    'agent.toolOutput': ({ agentId, toolUseId }) => ports.store.toolOutput(agentId, toolUseId),
  }
}

/** What is asked of agents in memory. */
export function agentQueries(conversations: OpenConversations): Pick<Runtime, 'state' | 'live'> {
  return {
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
