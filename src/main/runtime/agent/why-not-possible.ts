/** What can't be done to an agent that an external agent carries out, or started by itself. */
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { AgentRegistry } from '../conversation/agent-registry.ts'
import type { NotPossible } from '../ports/runtime.ts'

interface Home {
  readonly agents: AgentRegistry
}

/** Why the agent can't be stopped by itself; null: it can, or it does not run. */
export function whyNotStopped({ agents }: Home, agentId: string): NotPossible | null {
  const state = agents.state(agentId)
  if (state === null || state.child === null || state.child.canStop || !isLive(state)) return null
  return notPossible(`${state.definition.name} can’t be stopped by itself. Stop ${aboveName(agents, state)}.`)
}

/** `what`: "can’t be paused". Null: it is no such agent. */
export function whyNotForChild({ agents }: Home, agentId: string, what: string): NotPossible | null {
  const state = agents.state(agentId)
  if (state === null || state.child === null) return null
  return notPossible(
    `${state.definition.name} ${what}: ${aboveName(agents, state)} started it by itself and controls it.`,
  )
}

/** The name of the nearest agent above that can be stopped. */
function aboveName(agents: AgentRegistry, { parentId }: Pick<AgentState, 'parentId'>): string {
  const parent = parentId === null ? null : agents.state(parentId)
  if (parent === null) return 'the main agent'
  return parent.child?.canStop === false ? aboveName(agents, parent) : parent.definition.name
}

const notPossible = (message: string): NotPossible => ({ type: 'not-possible', message })

/**
 * What only this runtime's own loop can do, and an external agent does in its own way. `what`: what is not possible,
 * and what to do, as sentences. Null: no external agent carries out the agent.
 */
export function whyNotForProgram({ agents }: Home, agentId: string, what: string): NotPossible | null {
  const state = agents.state(agentId)
  if (state === null || state.definition.program === undefined) return null
  const { name } = state.definition
  return notPossible(`${name} is an external agent. ${what}`)
}
