import type { LiveAgent } from '../agent/live-agent.ts'
import type { Conversation } from './conversation.ts'

/**
 * Records the changes of calls and of commands in the background that were running when their program ended. An
 * external agent may change files without a call.
 */
export async function recoverChanges(
  agent: LiveAgent,
  { id: conversationId, ports }: Pick<Conversation, 'id' | 'ports'>,
): Promise<void> {
  const open = agent.transcript.history.openCalls().map(({ call }) => call.id)
  const calls = [...open, ...agent.state().commands.map(({ toolUseId }) => toolUseId)]
  if (calls.length === 0 && agent.state().definition.program === undefined) return
  const found = await ports.changes?.recover({ conversationId, agentId: agent.id }, calls)
  for (const changes of found ?? []) agent.transcript.emit({ type: 'files-changed', ...changes })
}
