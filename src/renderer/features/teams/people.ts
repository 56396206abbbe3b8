/** The agents that the view of teams lists, and what they are called there. */
import { useMemo } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { USER } from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { agentTitle, useConversation } from '../../stores/conversation-store.ts'
import { agentName } from '../../ui/text/agent-text.ts'

type Agents = ReadonlyMap<string, AgentState>

/** The leader first, then the members in the order in which they began; also those that have left the team. */
export function peopleIn(team: Team, agents: Agents): readonly string[] {
  const ids = new Set([team.leaderId, ...team.members.map(({ agentId }) => agentId)])
  for (const agent of agents.values()) if (agent.teamId === team.id) ids.add(agent.id)
  return [...ids].filter((id) => agents.has(id))
}

/** The agents of the team; all agents of the conversation for null. The same array until an agent is added. */
export function usePeople(team: Team | null): readonly string[] {
  const agentIds = useConversation((state) => state.agentIds)
  return useMemo(() => {
    const { agents } = useConversation.getState()
    return team === null ? agentIds : peopleIn(team, agents)
  }, [team, agentIds])
}

/** "You", "Main agent", the name for messages, or the agent type with its task. An unknown id is a mailbox's name. */
export function partyName(id: string, agents: Agents): string {
  if (id === USER) return 'You'
  const agent = agents.get(id)
  if (agent === undefined) return id
  return agent.name ?? (agent.parentId === null ? agentName(agent) : agentTitle(agent, agents))
}

export function usePartyName(id: string): string {
  return useConversation(({ agents }) => partyName(id, agents))
}

/** The color of a party; null for the user and for a name without an agent. */
export function usePartyColor(id: string): string | null {
  return useConversation(({ agents }) => agents.get(id)?.definition.color ?? null)
}
