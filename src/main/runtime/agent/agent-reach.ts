/** What interceptors may do with an agent beyond their answers. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Happening } from '../conversation/happening.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { askModel } from '../loop/ask-model.ts'
import { intercept, systemNote } from '../loop/intercept.ts'
import type { AgentReach, PointFacts } from '../ports/interceptors.ts'
import { agentRunOf } from './loop-backing.ts'

/** The model that judges where the interceptor names none. */
const SMALL_MODEL = 'haiku'
/** A judge's request belongs to no call. */
const NO_CALL = ''

/**
 * For one agent in memory, for as long as its conversation is open.
 * @param judgeWithFiles has a subagent of this agent judge by the files, and resolves to its report
 */
export function agentReach(
  agent: LiveAgent,
  conversation: Conversation,
  judgeWithFiles: AgentReach['judge'],
): AgentReach {
  const { id } = agent
  const { loop } = conversation
  const lifetime = conversation.lifetime.signal
  return {
    lifetime,
    tell(source, text) {
      agent.notes.push(systemNote(source, text))
    },
    setVariables: (key, variables) => conversation.variables.replace(id, key, variables),
    async judge(question, signal) {
      const { withFiles, system, text, model = SMALL_MODEL } = question
      if (withFiles) return judgeWithFiles(question, signal)
      const run = { agent: agentRunOf(agent, conversation, () => signal), deps: loop, signal }
      const answered = await askModel(run, NO_CALL, { model, system, text })
      return answered.ok ? ok(textOf(answered.value.content)) : fail(answered.failure)
    },
    async raise(point, facts) {
      await intercept({ agent, deps: loop, signal: lifetime }, point, facts)
    },
  }
}

/** Tells interceptors which files of instructions an agent was told. Nothing waits for it. */
export function tellInstructions({ agents, loop, lifetime }: Conversation, happened: Happening): undefined {
  if (loop.interceptors === undefined || happened.type !== 'agent-event') return
  const { event } = happened
  if (event.type !== 'agent-spawned' && event.type !== 'instructions-loaded') return
  const files = event.type === 'agent-spawned' ? event.instructions : event.files
  const tell = async () => {
    const agent = agents.get(event.agentId)?.agent
    if (!agent) return
    const known = new Set(agent.prompt.instructions.map(({ path }) => path))
    const { signal } = lifetime
    for (const { path, scope, bytes } of files) {
      const reason = reasonFor(event, known.has(path))
      if (bytes > 0)
        await intercept({ agent, deps: loop, signal }, 'instructions-loaded', { path, scope, reason })
    }
  }
  void tell()
}

/** A file of the beginning is told again when it has changed. */
function reasonFor({ type }: AgentEvent, isKnown: boolean): PointFacts['instructions-loaded']['reason'] {
  if (type === 'agent-spawned') return 'session_start'
  return isKnown ? 'changed' : 'nested_traversal'
}
