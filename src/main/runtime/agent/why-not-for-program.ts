/** What only this runtime's own loop can do, and an external agent does in its own way. */
import type { NotPossible } from '../runtime.ts'
import type { AgentRegistry } from './agent-registry.ts'

/** `what`: what is not possible, and what to do, as sentences. Null: no such program carries out the agent. */
export function whyNotForProgram(
  { agents }: { readonly agents: AgentRegistry },
  agentId: string,
  what: string,
): NotPossible | null {
  const state = agents.state(agentId)
  if (state === null || state.definition.program === undefined) return null
  const { name } = state.definition
  return { type: 'not-possible', message: `${name} is an external agent. ${what}` }
}
