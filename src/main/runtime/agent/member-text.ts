/** The text that tells a member of a team who it is and who else is there. */
import type { ConversationRecord } from '../../../shared/events/conversation.ts'

/** Null: the agent is in no team that works. */
export function memberText({ teams }: Pick<ConversationRecord, 'teams'>, agentId: string): string | null {
  const team = teams.find(
    ({ endedAt, members }) => endedAt === null && members.some((member) => member.agentId === agentId),
  )
  const me = team?.members.find((member) => member.agentId === agentId)
  if (team === undefined || me === undefined) return null
  const others = team.members.filter((member) => member !== me).map(({ name, agent }) => `${name} (${agent})`)
  return `You are "${me.name}" in the team "${team.name}". The leader is the main agent: write to it as "leader". ${others.length === 0 ? 'There are no other members yet.' : `The other members: ${others.join(', ')}.`}`
}
