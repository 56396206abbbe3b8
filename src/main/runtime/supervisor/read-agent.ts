/** An agent as its transcript has it: who it is, its state, and what the model was sent. */
import type { EventOf } from '../../../shared/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/agent-state.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { History } from '../loop/history.ts'
import type { TranscriptStore } from '../ports.ts'

export interface ReadAgent {
  readonly spawned: EventOf<'agent-spawned'>
  readonly state: AgentState
  readonly history: History
  /** Of the messages it was given. */
  readonly messageIds: ReadonlySet<string>
}

/** Reads the whole transcript. Failures: those of the store, and `damaged`. */
export async function readAgent(store: TranscriptStore, agentId: string): Promise<Result<ReadAgent>> {
  let spawned: EventOf<'agent-spawned'> | null = null
  let state: AgentState | null = null
  let history = new History(null)
  const messageIds = new Set<string>()
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) return batch
    for (const event of batch.value) {
      if (event.type === 'agent-spawned') {
        spawned = event
        history = new History(event.definition.reminder)
      }
      if (event.type === 'user-message') messageIds.add(event.messageId)
      state = foldAgent(state, event)
      history.apply(event)
    }
  }
  if (!spawned || !state)
    return fail({ type: 'damaged', message: `The transcript of ${agentId} does not say which agent it is.` })
  return ok({ spawned, state, history, messageIds })
}
