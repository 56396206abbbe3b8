/** What interceptors may do with an agent beyond their answers. */
import { fail, ok } from '../../../shared/result.ts'
import { textOf } from '../../../shared/text-of.ts'
import type { AgentReach } from '../interceptors.ts'
import { askModel } from '../loop/ask-model.ts'
import { type Interceptable, intercept, systemNote } from '../loop/intercept.ts'
import type { AgentHome } from './agent-home.ts'
import { agentRunOf, type LoopAgent } from './loop-backing.ts'

/** The model that judges where the interceptor names none. */
const SMALL_MODEL = 'haiku'
/** A judge's request belongs to no call. */
const NO_CALL = ''

export function agentReach(agent: LoopAgent & Interceptable, home: AgentHome): AgentReach {
  const { id } = agent.transcript
  const lifetime = home.lifetime.signal
  return {
    lifetime,
    tell(source, text) {
      agent.notes.push(systemNote(source, text))
    },
    setVariables: (key, variables) => home.variables.replace(id, key, variables),
    async judge(question, signal) {
      const { withFiles, system, text, model = SMALL_MODEL } = question
      if (withFiles) return home.judgeWithFiles(id, question, signal)
      const run = { agent: agentRunOf(agent, home, () => signal), deps: home.loop, signal }
      const answered = await askModel(run, NO_CALL, { model, system, text })
      return answered.ok ? ok(textOf(answered.value.content)) : fail(answered.failure)
    },
    async raise(point, facts) {
      await intercept({ agent, deps: home.loop, signal: lifetime }, point, facts)
    },
  }
}
