/**
 * The queued messages of a conversation that is not open. After a crash its record may list messages that an agent has
 * read, or messages for an agent that was never written: the transcripts decide.
 */

import type { ConversationRecord, QueuedMessage } from '../../../shared/events/conversation.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'

export interface SortedMessages {
  /** No agent has read them. Messages to a lost agent go to the main agent. */
  readonly waiting: readonly QueuedMessage[]
  readonly delivered: readonly QueuedMessage[]
  /** As the record has them: their agents have no transcript. */
  readonly lost: readonly QueuedMessage[]
}

type Queue = Pick<ConversationRecord, 'queued' | 'mainAgentId'>

/** The messages that wait in the record of a closed conversation. Transcripts that can't be read deliver none. */
export async function readWaiting(
  record: Queue,
  states: readonly AgentState[],
  store: Pick<TranscriptStore, 'events'>,
): Promise<QueuedMessage[]> {
  if (record.queued.length === 0) return []
  const delivered = new Set<string>()
  const receivers = receiverIds(states, record)
  for (const { id } of states) {
    if (id !== record.mainAgentId && !receivers.has(id)) continue
    for await (const batch of store.events(id))
      if (batch.ok)
        for (const event of batch.value) if (event.type === 'user-message') delivered.add(event.messageId)
  }
  return [...sortMessages(record, { delivered, states }).waiting]
}

/** `delivered`: the ids of the messages in the transcripts. `states`: of the agents that have a transcript. */
export function sortMessages(
  { queued, mainAgentId }: Queue,
  { delivered, states }: { readonly delivered: ReadonlySet<string>; readonly states: readonly AgentState[] },
): SortedMessages {
  const onDisk = new Set(states.map(({ id }) => id))
  const unread = queued.filter(({ messageId }) => !delivered.has(messageId))
  return {
    waiting: unread.map((message) =>
      onDisk.has(message.agentId) ? message : { ...message, agentId: mainAgentId },
    ),
    delivered: queued.filter(({ messageId }) => delivered.has(messageId)),
    lost: unread.filter(({ agentId }) => !onDisk.has(agentId)),
  }
}

/** Agents with queued messages, and agents that may have been sent notices of ends in the background. */
export function receiverIds(
  states: readonly AgentState[],
  { queued }: Pick<ConversationRecord, 'queued'>,
): ReadonlySet<string> {
  const ids = new Set(queued.map(({ agentId }) => agentId))
  const parents = new Map(states.map(({ id, parentId }) => [id, parentId]))
  // A notice goes to the nearest running agent above, which may have been any of these agents.
  for (const { id, background } of states)
    if (background !== 'no')
      for (let above = parents.get(id); above; above = parents.get(above)) ids.add(above)
  return ids
}
