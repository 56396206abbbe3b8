/** What interceptors may do with an agent beyond their answers. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { AgentReach, PointFacts } from '../interceptors.ts'
import { askModel } from '../loop/ask-model.ts'
import { type Interceptable, type InterceptDeps, intercept, systemNote } from '../loop/intercept.ts'
import type { AgentHome } from './agent-home.ts'
import { agentRunOf, type LoopAgent } from './loop-backing.ts'

/** The model that judges where the interceptor names none. */
const SMALL_MODEL = 'haiku'
/** A judge's request belongs to no call. */
const NO_CALL = ''

/** For one agent in memory, for as long as its conversation is open. */
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

/** The variables that interceptors set for the commands of agents. They live as long as the conversation is open. */
export class HookVariables {
  private readonly parentOf: (agentId: string) => string | null
  private readonly set = new Map<string, Map<string, Readonly<Record<string, string>>>>()

  constructor(parentOf: (agentId: string) => string | null) {
    this.parentOf = parentOf
  }

  /** Replaces the variables that were set for the agent under this key. */
  replace(agentId: string, key: string, variables: Readonly<Record<string, string>>): void {
    const own = this.set.get(agentId) ?? new Map<string, Readonly<Record<string, string>>>()
    this.set.set(agentId, own)
    own.delete(key)
    own.set(key, variables)
  }

  /** Those of the agents above count too; the agent's own ones come before them. */
  of(agentId: string): Readonly<Record<string, string>> {
    const parent = this.parentOf(agentId)
    const above = parent === null ? {} : this.of(parent)
    return Object.assign({}, above, ...(this.set.get(agentId)?.values() ?? []))
  }
}

interface Prompted {
  readonly prompt: Pick<LoopAgent['prompt'], 'instructions'>
}

interface Told {
  readonly agents: {
    get(agentId: string): { readonly agent: (Interceptable & Prompted) | null } | null
  }
  readonly loop: InterceptDeps
  /** Aborted when the conversation closes. */
  readonly lifetime: Pick<AbortController, 'signal'>
}

/** Tells interceptors which files of instructions an agent was told. Called with each event of an agent; nothing waits for it. */
export function instructionsLoaded({ agents, loop, lifetime }: Told, event: AgentEvent): void {
  if (loop.interceptors === undefined) return
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
