/** Reads an agent from its transcript: its first event, its state and its history. */
import type { EventOf } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { History } from '../loop/history.ts'
import type { SessionFile } from '../ports/tool.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'
import { foldLaterChanges } from './outdated-files.ts'

export interface ReadAgent {
  readonly spawned: EventOf<'agent-spawned'>
  readonly state: AgentState
  readonly history: History
  /** The ids of all messages in the transcript. */
  readonly messageIds: ReadonlySet<string>
  /** The files that it has read or written, by real path; for a fork also its parent's before the fork. */
  readonly seen: ReadonlyMap<string, SessionFile>
}

/**
 * Reads the whole transcript; for a fork also the parent's, up to the fork. Fails with `damaged`, or a failure of the
 * store.
 */
export async function readAgent(store: TranscriptStore, agentId: string): Promise<Result<ReadAgent>> {
  let spawned: EventOf<'agent-spawned'> | null = null
  let state: AgentState | null = null
  let history = new History(null)
  const messageIds = new Set<string>()
  const seen = new Map<string, SessionFile>()
  for await (const batch of store.events(agentId)) {
    if (!batch.ok) return batch
    for (const event of batch.value) {
      if (event.type === 'agent-spawned') {
        spawned = event
        const begun = await historyBefore(event, { store, seen })
        if (!begun.ok) return begun
        history = begun.value
      }
      // A renewal replaces the values that the spawn froze.
      if (event.type === 'definition-renewed' && spawned) {
        const { type: _, v: _v, agentId: _a, seq: _s, order: _o, at: _t, ...renewed } = event
        spawned = { ...spawned, ...renewed }
      }
      if (event.type === 'tool-ended' && event.seen) seen.set(event.seen.path, event.seen)
      foldLaterChanges(seen, event)
      if (event.type === 'user-message') messageIds.add(event.messageId)
      state = foldAgent(state, event)
      history.apply(event)
    }
  }
  if (!spawned || !state)
    return fail({
      type: 'damaged',
      message: `The transcript of ${agentId} does not begin with agent-spawned.`,
    })
  return ok({ spawned, state, history, messageIds, seen })
}

/**
 * The history before an agent's first event: empty, or the parent's messages for a fork. Adds the files that the parent
 * saw.
 */
async function historyBefore(
  { inherits, definition }: EventOf<'agent-spawned'>,
  { store, seen }: { readonly store: TranscriptStore; readonly seen: Map<string, SessionFile> },
): Promise<Result<History>> {
  if (inherits === null) return ok(new History(definition.reminder))
  let parent = new History(null)
  for await (const batch of store.events(inherits.agentId)) {
    if (!batch.ok) return batch
    for (const event of batch.value) {
      if (event.type === 'agent-spawned') parent = new History(event.definition.reminder)
      parent.apply(event)
      if (event.type === 'tool-ended' && event.seen) seen.set(event.seen.path, event.seen)
      foldLaterChanges(seen, event)
      if (event.seq >= inherits.seq) return ok(parent.fork(definition.reminder))
    }
  }
  return fail({
    type: 'damaged',
    message: `The transcript of ${inherits.agentId}, with which this fork began, ends too early.`,
  })
}
