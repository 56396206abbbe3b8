/** Tells interceptors which files of instructions an agent was told. Nothing waits for them. */
import type { AgentEvent } from '../../../shared/agent-event.ts'
import type { PointFacts } from '../interceptors.ts'
import { type InterceptDeps, intercept } from '../loop/intercept.ts'
import type { AgentRegistry } from './agent-registry.ts'

interface Told {
  readonly agents: AgentRegistry
  readonly loop: InterceptDeps
  /** Aborted when the conversation closes. */
  readonly lifetime: Pick<AbortController, 'signal'>
}

/** Called with each event of an agent. */
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
