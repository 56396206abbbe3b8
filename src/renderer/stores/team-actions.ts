/** The user's actions in the view of teams. */
import type { Answer } from '../../shared/ipc-contract.ts'
import type { Team } from '../../shared/team.ts'
import { command } from '../bridge.ts'

interface OutgoingMessage {
  readonly conversationId: string
  readonly team: Team | null
  /** The agent; null: all of the team. */
  readonly to: string | null
  readonly text: string
}

/** Sends a message to an agent, or to the leader and all members of a team. */
export async function sendInTeam({ conversationId, team, to, text }: OutgoingMessage): Promise<Answer<void>> {
  const receivers =
    to !== null ? [to] : team === null ? [] : [team.leaderId, ...team.members.map(({ agentId }) => agentId)]
  for (const agentId of receivers) {
    const answer = await command('conversation.send', { conversationId, agentId, text, images: [] })
    if (!answer.ok) return answer
  }
  return { ok: true, value: undefined }
}
