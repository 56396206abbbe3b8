/** What the status line's command is told, gathered from a conversation as it is now. */
import { addUsage, needsUser } from '../../../shared/agent-state.ts'
import type { ConversationSnapshot } from '../../../shared/ipc-contract.ts'
import { noUsage } from '../../../shared/no-usage.ts'
import type { StatusLineFacts } from '../../../shared/status-line.ts'

/** @param snapshot null before the first message; @param model of new conversations */
export function statusLineFacts(
  place: { readonly folder: string; readonly branch: string | null; readonly model: string },
  snapshot: Pick<ConversationSnapshot, 'record' | 'agents'> | null,
): StatusLineFacts {
  const agents = snapshot?.agents ?? []
  const main = agents.find((agent) => agent.id === snapshot?.record.mainAgentId)
  const usage = agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage)
  return {
    folder: place.folder,
    branch: place.branch,
    conversation: snapshot === null ? null : { id: snapshot.record.id, title: snapshot.record.title },
    model: main?.model ?? place.model,
    agents: {
      running: agents.filter((agent) => agent.status === 'running').length,
      waiting: agents.filter(needsUser).length,
    },
    costUsd: agents.reduce((sum, agent) => sum + agent.costUsd, 0),
    tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
  }
}
