/** Finds agents that share their name with other agents of a conversation. Their tasks then tell them apart. */
import type { AgentState } from '../../shared/state/agent-state.ts'
import { useConversation } from './conversation-store.ts'
import { agentName, displayName } from './text/agent-text.ts'

type Agents = ReadonlyMap<string, AgentState>

const counted = new WeakMap<Agents, ReadonlyMap<string, number>>()

/** Whether another agent has the same name. */
export function hasNamesake(agent: AgentState, agents: Agents): boolean {
  const names = counted.get(agents) ?? countNames(agents)
  counted.set(agents, names)
  return (names.get(displayName(agent)) ?? 0) > 1
}

/** Whether another agent of the shown conversation has the same name; false for an unknown agent. */
export function useNamesake(agentId: string): boolean {
  return useConversation(({ agents }) => {
    const agent = agents.get(agentId)
    return agent !== undefined && hasNamesake(agent, agents)
  })
}

/** The agent in a sentence or on one line: "Explore", or "routes (Explore)" if another agent has its name. */
export function agentTitle(agent: AgentState, agents: Agents): string {
  const name = agentName(agent)
  return agent.task !== '' && hasNamesake(agent, agents) ? `${agent.task} (${name})` : name
}

/** The title of an agent of the shown conversation. */
export function agentTitleNow(agent: AgentState): string {
  return agentTitle(agent, useConversation.getState().agents)
}

/** The title of an agent of the shown conversation; null if it is unknown. */
export function useAgentTitle(agentId: string | null): string | null {
  return useConversation(({ agents }) => {
    const agent = agentId === null ? undefined : agents.get(agentId)
    return agent === undefined ? null : agentTitle(agent, agents)
  })
}

function countNames(agents: Agents): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const agent of agents.values()) {
    const name = displayName(agent)
    names.set(name, (names.get(name) ?? 0) + 1)
  }
  return names
}
