/** Handlers for one agent. */
import { ok } from '../../../shared/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function agentCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'agent'> {
  return {
    'agent.stop': async ({ conversationId, agentId }) =>
      (await program()).runtime.stopAgent(conversationId, agentId),
    'agent.pause': async ({ conversationId, agentId }) =>
      (await program()).runtime.pauseAgent(conversationId, agentId),
    'agent.continue': async ({ conversationId, agentId }) =>
      (await program()).runtime.continueAgent(conversationId, agentId),
    'agent.retry': async ({ conversationId, agentId }) =>
      (await program()).runtime.retryNow(conversationId, agentId),
    'agent.toBackground': async ({ conversationId, agentId }) =>
      (await program()).runtime.moveToBackground(conversationId, agentId),
    'agent.definitionChange': async ({ conversationId, agentId }) =>
      (await program()).runtime.definitionChange(conversationId, agentId),
    'agent.context': async ({ conversationId, agentId }) =>
      (await program()).runtime.context(conversationId, agentId),
    'agent.setLimits': async ({ conversationId, agentId, limits }) =>
      (await program()).runtime.setAgentLimits(conversationId, agentId, limits),
    'agent.renew': async ({ conversationId, agentId }) =>
      (await program()).runtime.renewDefinition(conversationId, agentId),
    'agent.answer': async ({ decision, feedback, rule, choice, ...prompt }) => {
      const { runtime } = await program()
      const given = choice === undefined ? {} : { choice }
      if (decision === 'deny') return runtime.answer(prompt, { decision, feedback, ...given })
      if (decision === 'allow-once') return runtime.answer(prompt, { decision, ...given })
      return runtime.answer(prompt, { decision, ...(rule !== undefined && { rule }) })
    },
    'agent.stopCommand': async (command) => (await program()).runtime.stopCommand(command),
    'agent.setProgramOption': async (choice) => (await program()).runtime.setProgramOption(choice),
    'agent.login': async (login) => (await program()).runtime.login(login),
    'agent.answerForm': async ({ answer, ...form }) => (await program()).runtime.answerForm(form, answer),
    'agent.transcript': async ({ conversationId, agentId, before, limit }, call) => {
      const { store, runtime } = await program()
      // Deltas continue from the newest page only, so they wait until the window has the page.
      if (before === null) call.hold()
      const page = await store.page(agentId, { before, limit })
      if (!page.ok) return page
      const { events } = page.value
      const older = (events[0]?.seq ?? 0) > 0
      if (before !== null) return ok({ events, older, live: [] })
      const live = runtime.live(agentId)
      call.stream.watchFrom(conversationId, agentId, live)
      return ok({ events, older, live })
    },
    'agent.watch': async ({ conversationId, agentIds }, { stream }) =>
      ok(stream.watch(conversationId, agentIds)),
    'agent.toolOutput': async ({ agentId, toolUseId }) =>
      (await program()).store.toolOutput(agentId, toolUseId),
  }
}
