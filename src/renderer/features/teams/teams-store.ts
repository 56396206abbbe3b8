/** What the view of teams shows: the team, the thread, the task, and the dialog that is open. */

import { useMemo } from 'react'
import { create } from 'zustand'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { USER } from '../../../shared/state/message-log.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { agentTitle, useConversation } from '../../stores/conversation-store.ts'

export type TeamScope = 'team' | 'all'

type TeamDialog =
  | { readonly kind: 'new-task' }
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'add-worker' }

interface TeamsStore {
  /** The team that the user chose; null, or one of another conversation: the last one. */
  readonly teamId: string | null
  readonly scope: TeamScope
  /** The key of the shown thread; null: the newest. */
  readonly thread: string | null
  readonly taskId: string | null
  /** The receiver of the next message; null: everyone in the team. Undefined: that of the thread. */
  readonly to: string | null | undefined
  readonly dialog: TeamDialog | null
}

export const useTeams = create<TeamsStore>()(() => ({
  teamId: null,
  scope: 'team',
  thread: null,
  taskId: null,
  to: undefined,
  dialog: null,
}))

// What was chosen in one conversation means nothing in another one.
useConversation.subscribe((now, before) => {
  if (now.conversationId !== before.conversationId) useTeams.setState(useTeams.getInitialState(), true)
})

const NO_TEAMS: readonly Team[] = []

/** The teams of the shown conversation, ended ones too, in the order in which they were created. */
export function useTeamList(): readonly Team[] {
  return useConversation((state) => state.record?.teams ?? NO_TEAMS)
}

/** The shown team: the chosen one, else the last one that works, else the last one. Null: there is none. */
export function useTeam(): Team | null {
  const chosen = useTeams((state) => state.teamId)
  return shownTeam(useTeamList(), chosen)
}

function shownTeam(teams: readonly Team[], chosen: string | null): Team | null {
  return (
    teams.find(({ id }) => id === chosen) ??
    teams.findLast(({ endedAt }) => endedAt === null) ??
    teams.at(-1) ??
    null
  )
}

export function chooseTeam(teamId: string): void {
  useTeams.setState({ teamId, scope: 'team', thread: null, taskId: null, to: undefined })
}

export function showTeamDialog(dialog: TeamDialog | null): void {
  useTeams.setState({ dialog })
}

export function selectTask(taskId: string | null): void {
  useTeams.setState({ taskId })
}

export function selectThread(thread: string | null): void {
  useTeams.setState({ thread, to: undefined })
}

/** Chooses the receiver of the next message; null: everyone in the team. */
export function writeInTeam(to: string | null): void {
  useTeams.setState({ to })
}

/** The agents that the view of teams lists, and what they are called there. */
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

/** "You", or the name of the agent. An unknown id is a mailbox's name. */
export function partyName(id: string, agents: Agents): string {
  if (id === USER) return 'You'
  const agent = agents.get(id)
  if (agent === undefined) return id
  return agentTitle(agent, agents)
}

export function usePartyName(id: string): string {
  return useConversation(({ agents }) => partyName(id, agents))
}

/** The color of a party; null for the user and for a name without an agent. */
export function usePartyColor(id: string): string | null {
  return useConversation(({ agents }) => agents.get(id)?.definition.color ?? null)
}
