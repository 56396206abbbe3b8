/** Finds the team member that a worker is to carry out. */
import type { ConversationRecord } from '../../../../shared/events/conversation.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { Team } from '../../../../shared/teams/team-schema.ts'

/** @returns the id of the agent. The newest conversation with a team of that name counts. */
export function findMember(
  records: readonly ConversationRecord[],
  wanted: { readonly team: string; readonly name: string },
): Result<string> {
  const teams = records
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .flatMap((record) => record.teams)
    .filter(({ endedAt }) => endedAt === null)
  const team = teams.find(({ name }) => isSame(name, wanted.team))
  if (team === undefined)
    return fail({
      type: 'usage',
      message: `There is no team "${wanted.team}". ${teams.length === 0 ? 'No conversation has a team.' : `Teams: ${listOf(teams)}.`}`,
    })
  const member = team.members.find(({ name }) => isSame(name, wanted.name))
  if (member === undefined)
    return fail({
      type: 'usage',
      message: `The team ${team.name} has no member "${wanted.name}". Members: ${listOf(team.members)}.`,
    })
  if (member.backing !== 'pane')
    return fail({
      type: 'usage',
      message: `${member.name} has the backing ${member.backing}, so no worker process here carries it out. Members with the backing pane: ${listOf(team.members.filter(({ backing }) => backing === 'pane'))}.`,
    })
  return ok(member.agentId)
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.trim().toLowerCase()

const listOf = (named: readonly Pick<Team, 'name'>[]): string =>
  named.length === 0 ? 'none' : named.map(({ name }) => name).join(', ')
