/** The recipient of a message. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'

type Recipient =
  | { readonly kind: 'main'; readonly text: string }
  | { readonly kind: 'agent'; readonly agentId: string; readonly text: string }
  /** `@all`: the leader and the members of the teams that work. */
  | { readonly kind: 'team'; readonly agentIds: readonly string[]; readonly text: string }
  /** Several running agents have the name. */
  | { readonly kind: 'ambiguous'; readonly name: string; readonly amount: number }

interface Around {
  readonly agents: ReadonlyMap<string, AgentState>
  readonly teams: readonly Team[]
}

/**
 * Reads an `@name` at the start of a text. The agent that has the name for messages, or the running agent of that type,
 * gets the text without the name. A name that no agent has (a definition, a person) stays in the text, for the main
 * agent.
 */
export function recipientOf(text: string, chosen: string | null, { agents, teams }: Around): Recipient {
  if (chosen !== null) return { kind: 'agent', agentId: chosen, text }
  const match = /^@(\S+)\s+([\s\S]+)$/.exec(text)
  if (match === null) return { kind: 'main', text }
  const [, name = '', message = ''] = match
  if (name.toLowerCase() === 'all') {
    const agentIds = everyoneIn(teams)
    if (agentIds.length > 0) return { kind: 'team', agentIds, text: message }
  }
  const subagents = [...agents.values()].filter((agent) => agent.parentId !== null)
  const member = subagents.find((agent) => agent.teamId !== null && agent.name === name)
  if (member !== undefined) return { kind: 'agent', agentId: member.id, text: message }
  const named = subagents.filter((agent) => agent.endedAt === null && agent.definition.name === name)
  const [only] = named
  if (only === undefined) return { kind: 'main', text }
  if (named.length > 1) return { kind: 'ambiguous', name, amount: named.length }
  return { kind: 'agent', agentId: only.id, text: message }
}

/** The leaders and members of the teams that work, each once. */
export function everyoneIn(teams: readonly Team[]): readonly string[] {
  const working = teams.filter(({ endedAt }) => endedAt === null)
  return [
    ...new Set(
      working.flatMap(({ leaderId, members }) => [leaderId, ...members.map(({ agentId }) => agentId)]),
    ),
  ]
}
