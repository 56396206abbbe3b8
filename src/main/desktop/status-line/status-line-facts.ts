/** Gathers the input of the status line's command from a snapshot of a conversation. */
import { addUsage, needsUser } from '../../../shared/agent-state.ts'
import type { ConversationSnapshot } from '../../../shared/conversation-snapshot.ts'
import { noUsage } from '../../../shared/no-usage.ts'
import type { StatusLineFacts } from '../../../shared/status-line.ts'

/** @param snapshot null before the first message */
export function statusLineFacts(
  location: { readonly folder: string; readonly branch: string | null; readonly model: string },
  snapshot: Pick<ConversationSnapshot, 'record' | 'agents'> | null,
): StatusLineFacts {
  const agents = snapshot?.agents ?? []
  const main = agents.find((agent) => agent.id === snapshot?.record.mainAgentId)
  const usage = agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage)
  return {
    folder: location.folder,
    branch: location.branch,
    conversation: snapshot === null ? null : { id: snapshot.record.id, title: snapshot.record.title },
    model: main?.model ?? location.model,
    agents: {
      running: agents.filter((agent) => agent.status === 'running').length,
      waiting: agents.filter(needsUser).length,
    },
    costUsd: agents.every((agent) => agent.priced)
      ? agents.reduce((sum, agent) => sum + agent.costUsd, 0)
      : null,
    tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
  }
}
