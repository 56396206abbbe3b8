/** The user's commands on the external agent that carries out an agent. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import { continueAgent } from './control.ts'
import type { Conversation } from './conversation.ts'

interface Choice {
  readonly agentId: string
  readonly optionId: string
  readonly value: string
}

/** Fails with `not-possible` for an agent without such a program, else as the program answers. */
export async function setProgramOption(
  conversation: Conversation,
  { agentId, optionId, value }: Choice,
): Promise<Result<void>> {
  const asked = await conversation.withAgent(
    agentId,
    ({ backing }) => backing.setOption?.(optionId, value) ?? noProgram,
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
 * Logs in to the program of an agent. A run that waits for it begins again, and so does an agent that failed for want of
 * the login. Fails with `not-possible` for an agent without such a program, else as the program answers.
 */
export async function loginToProgram(
  conversation: Conversation,
  { agentId, methodId }: { readonly agentId: string; readonly methodId: string },
): Promise<Result<void>> {
  const asked = await conversation.withAgent(agentId, ({ backing }) => backing.login?.(methodId) ?? noProgram)
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
